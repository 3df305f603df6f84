import type { DeadLetter } from '@tollgate/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { fetchDeadLetters } from '../api/admin';
import { byCursor } from '../api/by-cursor';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { LoadedPages } from '../design/loaded-pages';
import { Page } from '../design/page';
import { Empty } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatBytes, formatCount } from '../format/number';
import { formatDateTime } from '../format/time';
import { DeadLetterDrawer } from './dead-letter-drawer';

export function DeadLettersPage() {
  const [opened, setOpened] = useState<number | null>(null);
  const letters = useInfiniteQuery({
    queryKey: ['admin', 'dead-letters'],
    queryFn: ({ pageParam }) => fetchDeadLetters(pageParam ?? undefined),
    ...byCursor,
    refetchInterval: 10_000,
  });
  const columns = useMemo(() => columnsOf(setOpened), []);
  return (
    <Page
      title="Dead letters"
      hint="Usage that could not be stored. Nothing is lost: look into it, then replay or drop it."
    >
      <Card flush>
        <LoadedPages
          query={letters}
          empty={
            <Empty icon="inbox" title="No dead letters">
              Every usage message was stored.
            </Empty>
          }
        >
          {(rows, more) => (
            <Table
              label="Dead letters"
              columns={columns}
              rows={rows}
              rowId={({ sequence }) => String(sequence)}
              onOpen={({ sequence }) => setOpened(sequence)}
              more={more}
            />
          )}
        </LoadedPages>
      </Card>
      <DeadLetterDrawer sequence={opened} onClose={() => setOpened(null)} onChanged={() => void letters.refetch()} />
    </Page>
  );
}

const columnsOf = (onOpen: (sequence: number) => void): Column<DeadLetter>[] => [
  {
    header: 'Number',
    cell: ({ row: { original } }) => (
      <Button
        size="small"
        tone="quiet"
        aria-label={`Show dead letter ${original.sequence}`}
        onClick={() => onOpen(original.sequence)}
      >
        {formatCount(original.sequence)}
      </Button>
    ),
  },
  { header: 'Since', cell: ({ row }) => formatDateTime(row.original.at) },
  { header: 'Why', cell: ({ row }) => <span className="break">{row.original.reason}</span> },
  { header: 'Size', meta: { end: true }, cell: ({ row }) => formatBytes(row.original.bytes) },
];
