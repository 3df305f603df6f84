import type { Incident } from '@tollgate/contracts/catalog';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { fetchIncidents } from '../api/admin';
import { byCursor } from '../api/by-cursor';
import { Badge } from '../design/badge';
import { Card } from '../design/card';
import { LoadedPages } from '../design/loaded-pages';
import { Empty } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatCount } from '../format/number';
import { formatDateTime, formatDuration } from '../format/time';
import styles from './admin.module.css';

/** When deployments were kept away from callers, of one provider or of all. */
export function IncidentsCard({ provider }: { provider?: string }) {
  const incidents = useInfiniteQuery({
    queryKey: ['admin', 'incidents', provider ?? null],
    queryFn: ({ pageParam }) => fetchIncidents(provider, pageParam ?? undefined),
    ...byCursor,
    refetchInterval: 10_000,
  });
  return (
    <Card title="Incidents" hint="When deployments were kept away from callers. Kept for 90 days." flush>
      <LoadedPages
        query={incidents}
        lines={4}
        empty={<Empty icon="activity" title="No deployment was kept away from anybody" />}
        next="Show older ones"
      >
        {(rows, more) => (
          <Table
            label="Incidents"
            columns={provider === undefined ? columns : ofOne}
            rows={rows}
            rowId={({ deployment, kind, since }) => `${deployment} ${kind} ${since}`}
            more={more}
          />
        )}
      </LoadedPages>
    </Card>
  );
}

const kinds = {
  failing: <Badge tone="bad">Failed</Badge>,
  draining: <Badge tone="warn">Drained</Badge>,
  closed: <Badge tone="warn">Closed</Badge>,
};

const columns: Column<Incident>[] = [
  {
    header: 'Deployment',
    cell: ({ row: { original } }) => (
      <span className={styles.name}>
        <span className="break">{original.deployment}</span>
        <Link to={`/admin/providers/${encodeURIComponent(original.provider)}`}>{original.provider}</Link>
      </span>
    ),
  },
  { header: 'What', cell: ({ row }) => kinds[row.original.kind] },
  { header: 'Why', cell: ({ row }) => <span className="break">{whyOf(row.original)}</span> },
  { header: 'Since', cell: ({ row }) => formatDateTime(row.original.since) },
  {
    header: 'Until',
    cell: ({ row: { original } }) => (original.until === null ? 'now' : formatDateTime(original.until)),
  },
  {
    header: 'For',
    meta: { end: true },
    cell: ({ row: { original } }) => (original.until === null ? '–' : formatDuration(original.until - original.since)),
  },
  { header: 'Kept away', cell: ({ row }) => keptAway(row.original) },
];
const [, ...rest] = columns;
const ofOne: Column<Incident>[] = [
  { header: 'Deployment', cell: ({ row }) => <span className="break">{row.original.deployment}</span> },
  ...rest,
];

const whyOf = ({ by, why }: Incident): string => [by, why].filter((text) => text !== null).join(': ') || '–';

const keptAway = ({ callers }: Incident): string =>
  callers === null ? 'Everybody' : `${formatCount(callers)} ${callers === 1 ? 'caller' : 'callers'}`;
