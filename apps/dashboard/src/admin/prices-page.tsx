import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  fetchFactorHistory,
  fetchPriceHistory,
  fetchPrices,
  type ToldPrice,
  withdrawFactors,
  withdrawPrice,
} from '../api/prices';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatDateTime } from '../format/time';
import styles from './admin.module.css';
import { FactorsCard } from './factors-card';
import { PriceDialog } from './price-dialog';
import { factorsText, sheetText } from './price-text';
import { SetHistory } from './set-history';

/** What lies above the page, if anything. `model` null: any. */
type Layer = { kind: 'set'; model: string | null } | { kind: 'remove'; model: string } | null;

/** Prices that an operator says, and the way to others. */
export function PricesPage() {
  const client = useQueryClient();
  const prices = useQuery({ queryKey: ['admin', 'prices'], queryFn: fetchPrices });
  const [layer, setLayer] = useState<Layer>(null);
  return (
    <Page
      title="Prices"
      hint="Dollars per million tokens. A price begins at an instant that lies ahead; what was used before keeps the one that it had. All that is not shown here costs what the release says."
      actions={
        <Button tone="primary" icon="plus" onClick={() => setLayer({ kind: 'set', model: null })}>
          Set a price
        </Button>
      }
    >
      <Loaded query={prices} lines={4}>
        {({ prices: told }) =>
          told.length === 0 ? (
            <Empty icon="layers" title="Every model costs what the release says" />
          ) : (
            <Table label="Prices" columns={columnsOf(setLayer)} rows={told} rowId={({ model }) => model} />
          )
        }
      </Loaded>
      <FactorsCard />
      <PriceHistory />
      <FactorHistory />
      {layer && (
        <PriceDialog
          model={layer.model}
          isRemoval={layer.kind === 'remove'}
          onClose={() => setLayer(null)}
          onDone={() => client.invalidateQueries({ queryKey: ['admin'] })}
        />
      )}
    </Page>
  );
}

const origins: Record<ToldPrice['origin'], string> = {
  ...{ file: 'from the file', settings: 'set here', import: 'an import', release: 'the release' },
};

const columnsOf = (onAct: (layer: Layer) => void): Column<ToldPrice>[] => [
  { header: 'Model', cell: ({ row }) => <strong className="break">{row.original.model}</strong> },
  { header: 'Costs now', cell: ({ row }) => sheetText(row.original.prices) },
  {
    header: 'To come',
    cell: ({ row }) => (
      <span className={styles.lines}>
        {row.original.next
          .map(({ from, prices, isSet }) => `${formatDateTime(from)}: ${sheetText(prices)}${isSet ? '' : ' (not set)'}`)
          .join('\n') || '–'}
      </span>
    ),
  },
  {
    header: 'From',
    cell: ({ row: { original } }) => (
      <span title={original.source}>
        <Badge tone={original.origin === 'settings' ? 'accent' : 'plain'}>{origins[original.origin]}</Badge>
      </span>
    ),
  },
  { header: 'Change', cell: ({ row: { original } }) => <Acts price={original} onAct={onAct} /> },
];

/** A price of the file is changed there. */
function Acts({ price: { model, origin, next }, onAct }: { price: ToldPrice; onAct: (layer: Layer) => void }) {
  if (origin === 'file') return 'in tollgate.yaml';
  const isSet = origin === 'settings' || next.some((each) => each.isSet);
  return (
    <>
      <Button size="small" aria-label={`Set another price of ${model}`} onClick={() => onAct({ kind: 'set', model })}>
        Set another
      </Button>{' '}
      {isSet && (
        <Button
          size="small"
          aria-label={`Remove the price of ${model}`}
          onClick={() => onAct({ kind: 'remove', model })}
        >
          Remove
        </Button>
      )}
    </>
  );
}

/** Every price that was set, and the way to take one back that is still to come. */
function PriceHistory() {
  return (
    <SetHistory
      title="History of prices"
      label="Prices that were set"
      nothing="No price was ever set here"
      queryKey={['admin', 'prices', 'history']}
      fetch={fetchPriceHistory}
      withdraw={withdrawPrice}
      of={{ header: 'Model', text: ({ model }) => model }}
      what={{ header: 'Price', text: ({ prices }) => (prices ? sheetText(prices) : 'what it costs otherwise') }}
      name={({ model }) => `the price of ${model}`}
      goesOn="The price before it goes on."
    />
  );
}

/** Every discount and markup that was set, and the way to take back what is still to come. */
function FactorHistory() {
  return (
    <SetHistory
      title="History of discounts and markups"
      label="Discounts and markups that were set"
      nothing="No discount or markup was ever set here"
      queryKey={['admin', 'price factors', 'history']}
      fetch={fetchFactorHistory}
      withdraw={withdrawFactors}
      of={{ header: 'Deployment', text: ({ deployment }) => deployment }}
      what={{ header: 'Beside the price', text: ({ factors }) => factorsText(factors) }}
      name={({ deployment }) => `what ${deployment} is to have`}
      goesOn="What holds before it goes on."
    />
  );
}
