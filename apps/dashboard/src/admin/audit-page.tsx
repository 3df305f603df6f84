import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { fetchAudit } from '../api/admin';
import type { AuditEntry } from '../api/admin';
import { byCursor } from '../api/by-cursor';
import { useSearch } from '../app/use-search';
import { Badge } from '../design/badge';
import { Card } from '../design/card';
import { LoadedPages } from '../design/loaded-pages';
import { Page } from '../design/page';
import { Empty } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatDateTime, formatInstant } from '../format/time';

export function AuditPage() {
  const [search] = useSearch();
  const accountId = search.get('accountId') ?? undefined;
  const entries = useInfiniteQuery({
    queryKey: ['admin', 'audit', accountId ?? ''],
    queryFn: ({ pageParam }) => fetchAudit({ ...(accountId && { accountId }), ...(pageParam && { after: pageParam }) }),
    ...byCursor,
  });
  return (
    <Page title="Audit log" hint="Who changed what, and when. Nobody can change it.">
      <Card flush>
        <LoadedPages
          query={entries}
          lines={8}
          empty={<Empty icon="book" title="Nothing was changed yet" />}
          next="Show older ones"
        >
          {(rows, more) => (
            <Table label="Audit log" columns={columns} rows={rows} rowId={({ id }) => String(id)} more={more} />
          )}
        </LoadedPages>
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
