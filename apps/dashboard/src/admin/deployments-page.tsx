import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchDeployments } from '../api/admin';
import type { ListedDeployment } from '../api/admin';
import { Badge } from '../design/badge';
import { Card } from '../design/card';
import { SearchField } from '../design/field';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatCount } from '../format/number';
import { formatDateTime, formatDuration } from '../format/time';
import styles from './admin.module.css';
import { DeploymentSwitch } from './deployment-switch';
import { standingOf } from './health-of';
import { IncidentsCard } from './incidents-card';

/** As many rows as are looked through without getting lost; the search finds the others. */
const most = 100;

export function DeploymentsPage() {
  const [search, setSearch] = useState('');
  const deployments = useQuery({
    queryKey: ['admin', 'deployments'],
    queryFn: fetchDeployments,
    refetchInterval: 2_000,
  });
  return (
    <Page
      title="Deployments"
      hint="Each place where a model is generated. One that fails is left alone and tried again by itself; what an operator decides here holds until it is taken back."
    >
      <SearchField
        label="Search deployments and models"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <Card flush>
        <Loaded query={deployments} lines={8}>
          {({ data }) => <Found all={data} search={search} onChanged={() => deployments.refetch()} />}
        </Loaded>
      </Card>
      <IncidentsCard />
    </Page>
  );
}

function Found({
  all,
  search,
  onChanged,
}: {
  all: ListedDeployment[];
  search: string;
  onChanged: () => Promise<unknown>;
}) {
  const found = foundIn(all, search);
  const shown = found.slice(0, most);
  if (shown.length === 0)
    return (
      <Empty icon="cube" title="No deployment fits">
        Use a shorter word.
      </Empty>
    );
  return (
    <Table
      label="Deployments"
      columns={columnsFor(onChanged)}
      rows={shown}
      rowId={({ id }) => id}
      more={found.length > most && `${formatCount(found.length - most)} more: search for them.`}
    />
  );
}

/** Those that are held first, then those in trouble, then those that were tried. */
function foundIn(all: ListedDeployment[], search: string): ListedDeployment[] {
  const wanted = search.trim().toLowerCase();
  const weight = ({ held, standing }: ListedDeployment) =>
    held ? 3 : standing && isInTrouble(standing) ? 2 : standing ? 1 : 0;
  return all
    .filter(({ id, models }) => [id, ...models].some((name) => name.toLowerCase().includes(wanted)))
    .sort((one, other) => weight(other) - weight(one) || one.id.localeCompare(other.id));
}

function isInTrouble({ state, answersNobody }: NonNullable<ListedDeployment['standing']>): boolean {
  return state !== 'closed' || answersNobody;
}

const columnsFor = (onChanged: () => Promise<unknown>): Column<ListedDeployment>[] => [
  {
    header: 'Deployment',
    cell: ({ row: { original } }) => (
      <span className={styles.name}>
        <span className="break">{original.id}</span>
        <span className="muted">{original.provider}</span>
      </span>
    ),
  },
  {
    header: 'State',
    cell: ({ row }) => {
      const { tone, text } = standingOf(row.original);
      return <Badge tone={tone}>{text}</Badge>;
    },
  },
  { header: 'Why', cell: ({ row }) => <span className="break">{whyOf(row.original)}</span> },
  { header: 'Since', cell: ({ row }) => sinceOf(row.original) },
  { header: 'Kept away', cell: ({ row }) => keptAwayOf(row.original) },
  { header: 'Running', meta: { end: true }, cell: ({ row }) => countOf(row.original.standing?.inFlight) },
  { header: 'Waiting', meta: { end: true, minor: true }, cell: ({ row }) => countOf(row.original.standing?.waiting) },
  {
    header: 'At most',
    meta: { end: true, minor: true },
    cell: ({ row }) => countOf(row.original.standing?.concurrencyLimit),
  },
  { header: 'Change', cell: ({ row }) => <DeploymentSwitch deployment={row.original} onChanged={onChanged} /> },
];

const countOf = (count: number | null | undefined) => (count == null ? '–' : formatCount(count));

function whyOf({ held, standing }: ListedDeployment): string {
  if (held) return held.reason === null ? held.by : `${held.by}: ${held.reason}`;
  return standing?.why ?? '–';
}

function sinceOf({ held, standing }: ListedDeployment): string {
  if (held) return formatDateTime(held.since);
  return standing?.openForMs == null ? '–' : formatDuration(standing.openForMs);
}

function keptAwayOf({ held, standing }: ListedDeployment): string {
  if (held) return 'Everybody';
  if (!standing || standing.state === 'closed') return '–';
  if (standing.callers === null) return 'Everybody';
  return `${formatCount(standing.callers)} ${standing.callers === 1 ? 'caller' : 'callers'}`;
}
