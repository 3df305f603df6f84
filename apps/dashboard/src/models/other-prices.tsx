import type { ListedModel } from '../api/catalog';
import { Card } from '../design/card';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatExactMoney } from '../format/money';
import { otherPricesOf } from './price-lines';
import type { PriceLine } from './price-lines';

type Rate = Exclude<keyof PriceLine, 'when'>;

const rate = (name: Rate): Pick<Column<PriceLine>, 'meta' | 'cell'> => ({
  meta: { end: true },
  cell: ({ row: { original } }) => (original[name] === null ? '–' : formatExactMoney(String(original[name]))),
});

const columns: Column<PriceLine>[] = [
  { header: 'When', cell: ({ row }) => row.original.when },
  { header: 'Input', ...rate('input') },
  { header: 'Cached', ...rate('cachedInput') },
  { header: 'Into the cache', ...rate('cacheWrite') },
  { header: 'Output', ...rate('output') },
];

/** Long inputs, and other ways of being served, where the price tells them. */
export function OtherPrices({ pricing }: { pricing: NonNullable<ListedModel['pricing']> }) {
  const lines = otherPricesOf(pricing);
  if (lines.length === 0) return null;
  return (
    <Card title="Price in other cases" hint="US dollars per million tokens." flush>
      <Table label="Prices in other cases" columns={columns} rows={lines} rowId={({ when }) => when} />
    </Card>
  );
}
