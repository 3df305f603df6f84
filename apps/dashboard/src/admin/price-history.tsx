import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { clockBoundMs } from '@tollgate/contracts';
import { useState } from 'react';
import { byCursor } from '../api/by-cursor';
import { fetchPriceHistory, withdrawPrice, type SetPrice } from '../api/prices';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { ConfirmDialog } from '../design/confirm-dialog';
import { LoadedPages } from '../design/loaded-pages';
import { Empty } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatDateTime } from '../format/time';
import { sheetText } from './price-text';

/** Every price that was set, and the way to take one back that is still to come. */
export function PriceHistory() {
  const client = useQueryClient();
  const [asked, setAsked] = useState<SetPrice | null>(null);
  const history = useInfiniteQuery({
    queryKey: ['admin', 'prices', 'history'],
    queryFn: ({ pageParam }) => fetchPriceHistory(pageParam ?? undefined),
    ...byCursor,
  });
  return (
    <Card title="History" flush>
      <LoadedPages query={history} empty={<Empty icon="book" title="No price was ever set here" />}>
        {(rows, more) => (
          <Table
            label="Prices that were set"
            columns={columnsOf(history.dataUpdatedAt, setAsked)}
            rows={rows}
            rowId={({ id }) => id}
            more={more}
          />
        )}
      </LoadedPages>
      {asked && (
        <ConfirmDialog
          open
          onClose={() => setAsked(null)}
          title={`Take the price of ${asked.model} back?`}
          action="Take it back"
          onConfirm={async () => {
            await withdrawPrice(asked.id);
            await client.invalidateQueries({ queryKey: ['admin'] });
          }}
        >
          It was to begin on {formatDateTime(asked.from)}, and never was. The price before it goes on.
        </ConfirmDialog>
      )}
    </Card>
  );
}

/** `now`: epoch milliseconds. */
const columnsOf = (now: number, onAsked: (price: SetPrice) => void): Column<SetPrice>[] => [
  { header: 'Model', cell: ({ row }) => <span className="break">{row.original.model}</span> },
  { header: 'From', cell: ({ row }) => formatDateTime(row.original.from) },
  {
    header: 'Price',
    cell: ({ row: { original } }) => (original.prices ? sheetText(original.prices) : 'what it costs otherwise'),
  },
  { header: 'Set', cell: ({ row }) => formatDateTime(row.original.setAt) },
  { header: 'Who', cell: ({ row }) => <span className="break">{row.original.setBy}</span> },
  { header: 'Why', cell: ({ row }) => <span className="break">{row.original.reason ?? '–'}</span> },
  { header: 'Way back', cell: ({ row }) => <WayBack price={row.original} now={now} onAsked={onAsked} /> },
];

/** A price may be taken back until shortly before it begins; the gateway says so where it is too late. */
function WayBack({ price, now, onAsked }: { price: SetPrice; now: number; onAsked: (price: SetPrice) => void }) {
  const { model, from, withdrawnAt, withdrawnBy } = price;
  if (withdrawnAt !== null) return <Badge>taken back by {withdrawnBy}</Badge>;
  if (from <= now + clockBoundMs) return '–';
  return (
    <Button
      size="small"
      aria-label={`Take back the price of ${model}, ${formatDateTime(from)}`}
      onClick={() => onAsked(price)}
    >
      Take back
    </Button>
  );
}
