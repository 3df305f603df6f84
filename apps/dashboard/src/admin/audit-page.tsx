import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { fetchAudit } from '../api/admin';
import type { AuditEntry } from '../api/admin';
import { useSearch } from '../app/use-search';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatDateTime, formatInstant } from '../format/time';

export function AuditPage() {
  const [search] = useSearch();
  const accountId = search.get('accountId') ?? undefined;
  const entries = useInfiniteQuery({
    queryKey: ['admin', 'audit', accountId ?? ''],
    queryFn: ({ pageParam }) => fetchAudit({ ...(accountId && { accountId }), ...(pageParam && { after: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => (next == null ? undefined : String(next)),
  });
  return (
    <Page title="Audit log" hint="Who changed what, and when. Nobody can change it.">
      <Card flush>
        <Loaded query={entries} lines={8}>
          {({ pages }) => {
            const rows = pages.flatMap(({ data }) => data);
            if (!rows.length) return <Empty icon="book" title="Nothing was changed yet" />;
            return (
              <Table
                label="Audit log"
                columns={columns}
                rows={rows}
                rowId={({ id }) => String(id)}
                more={
                  entries.hasNextPage && (
                    <Button tone="quiet" busy={entries.isFetchingNextPage} onClick={() => void entries.fetchNextPage()}>
                      Show older ones
                    </Button>
                  )
                }
              />
            );
          }}
        </Loaded>
      </Card>
    </Page>
  );
}

const columns: Column<AuditEntry>[] = [
  {
    header: 'Time',
    meta: { whole: true },
    cell: ({ row: { original } }) => <span title={formatInstant(original.at)}>{formatDateTime(original.at)}</span>,
  },
  { header: 'Who', meta: { whole: true }, cell: ({ row }) => row.original.actor },
  { header: 'What', cell: ({ row }) => <Badge>{row.original.action}</Badge> },
  {
    header: 'Account',
    cell: ({ row: { original } }) =>
      original.accountId ? (
        <Link to={`/admin/accounts/${encodeURIComponent(original.accountId)}`}>
          <code>{original.accountId.slice(0, 8)}</code>
        </Link>
      ) : (
        '–'
      ),
  },
  { header: 'Key', cell: ({ row }) => (row.original.keyId ? <code>{row.original.keyId.slice(0, 8)}</code> : '–') },
  { header: 'Detail', cell: ({ row }) => <code className="break muted">{detailOf(row.original.detail)}</code> },
];

/** The detail is whatever the action noted. */
function detailOf(detail: unknown): string {
  if (detail === null || detail === undefined) return '–';
  if (typeof detail !== 'object') return JSON.stringify(detail);
  const parts = Object.entries(detail).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return parts.join(', ') || '–';
}
