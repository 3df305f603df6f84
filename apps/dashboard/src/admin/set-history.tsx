import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { clockBoundMs } from '@tollgate/contracts/catalog';
import { useState } from 'react';
import { byCursor } from '../api/by-cursor';
import type { SetPrice } from '../api/prices';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { ConfirmDialog } from '../design/confirm-dialog';
import { LoadedPages } from '../design/loaded-pages';
import { Empty } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatDateTime } from '../format/time';

/** Who set something from an instant on, when and why, and who took it back. */
export type SetOnce = Omit<SetPrice, 'model' | 'prices'>;

/**
 * All that was set from instants on, the newest first, and the way to take back what is still to come. `of`:
 * for what it was set; `what`: what was set; `name`: of one, as in "take back the price of a model";
 * `goesOn`: what holds when one is taken back.
 */
interface History<Row extends SetOnce> {
  title: string;
  label: string;
  nothing: string;
  queryKey: string[];
  fetch: (after?: string) => Promise<{ data: Row[]; next: string | null }>;
  withdraw: (id: string) => Promise<unknown>;
  of: { header: string; text: (row: Row) => string };
  what: { header: string; text: (row: Row) => string };
  name: (row: Row) => string;
  goesOn: string;
}

export function SetHistory<Row extends SetOnce>(history: History<Row>) {
  const { title, label, nothing, queryKey, fetch, withdraw, name, goesOn } = history;
  const client = useQueryClient();
  const [asked, setAsked] = useState<Row | null>(null);
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => fetch(pageParam ?? undefined),
    ...byCursor,
  });
  return (
    <Card title={title} flush>
      <LoadedPages query={query} empty={<Empty icon="book" title={nothing} />}>
        {(rows, more) => (
          <Table
            label={label}
            columns={columnsOf(history, query.dataUpdatedAt, setAsked)}
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
          title={`Take back ${name(asked)}?`}
          action="Take it back"
          onConfirm={async () => {
            await withdraw(asked.id);
            await client.invalidateQueries({ queryKey: ['admin'] });
          }}
        >
          It was to begin on {formatDateTime(asked.from)}, and never was. {goesOn}
        </ConfirmDialog>
      )}
    </Card>
  );
}

/** `now`: epoch milliseconds. */
const columnsOf = <Row extends SetOnce>(
  { of, what, name }: History<Row>,
  now: number,
  onAsked: (row: Row) => void,
): Column<Row>[] => [
  { header: of.header, cell: ({ row }) => <span className="break">{of.text(row.original)}</span> },
  { header: 'From', cell: ({ row }) => formatDateTime(row.original.from) },
  { header: what.header, cell: ({ row }) => what.text(row.original) },
  { header: 'Set', cell: ({ row }) => formatDateTime(row.original.setAt) },
  { header: 'Who', cell: ({ row }) => <span className="break">{row.original.setBy}</span> },
  { header: 'Why', cell: ({ row }) => <span className="break">{row.original.reason ?? '–'}</span> },
  {
    header: 'Way back',
    cell: ({ row: { original } }) => (
      <WayBack what={name(original)} set={original} now={now} onAsked={() => onAsked(original)} />
    ),
  },
];

/** What was set may be taken back until shortly before it begins; the gateway says so where it is too late. */
function WayBack({
  what,
  set: { from, withdrawnAt, withdrawnBy },
  now,
  onAsked,
}: {
  what: string;
  set: SetOnce;
  now: number;
  onAsked: () => void;
}) {
  if (withdrawnAt !== null) return <Badge>taken back by {withdrawnBy}</Badge>;
  if (from <= now + clockBoundMs) return '–';
  return (
    <Button size="small" aria-label={`Take back ${what}, ${formatDateTime(from)}`} onClick={onAsked}>
      Take back
    </Button>
  );
}
