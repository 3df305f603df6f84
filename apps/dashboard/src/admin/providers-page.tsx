import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { fetchProviders } from '../api/admin';
import type { ProviderHealth } from '../api/admin';
import { fetchLiveProviders } from '../api/live-providers';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { Note } from '../design/note';
import { Page } from '../design/page';
import { Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatCount, formatShare } from '../format/number';
import { formatDuration } from '../format/time';
import { AddProviderDialog } from './add-provider-dialog';
import styles from './admin.module.css';
import { healthOf } from './health-of';
import { ProviderCheck } from './provider-check';

export function ProvidersPage() {
  const providers = useQuery({ queryKey: ['admin', 'providers'], queryFn: fetchProviders, refetchInterval: 5_000 });
  const live = useQuery({ queryKey: ['admin', 'live-providers'], queryFn: fetchLiveProviders });
  const [isAdding, setIsAdding] = useState(false);
  const aside = (live.data?.providers ?? []).filter(({ problem }) => problem !== null);
  return (
    <Page
      title="Providers"
      hint="How each provider did in the last hour. A deployment that keeps failing is left alone, and tried again within half a minute. Keys are set where the gateway runs, or given on the page of a provider. Check reads its list of models with each of its keys, which costs nothing."
      actions={
        <Button tone="primary" onClick={() => setIsAdding(true)}>
          Add a provider
        </Button>
      }
    >
      {isAdding && (
        <AddProviderDialog
          onClose={() => setIsAdding(false)}
          onAdded={() => Promise.all([live.refetch(), providers.refetch()])}
        />
      )}
      {aside.length > 0 && (
        <Note tone="warn" title="Not every provider that was set holds">
          {aside.map(({ provider, problem }) => (
            <p key={provider} className="break">
              <Link to={`/admin/providers/${encodeURIComponent(provider)}`}>{provider}</Link>: {problem}
            </p>
          ))}
        </Note>
      )}
      <Card flush>
        <Loaded query={providers} lines={8}>
          {({ data }) => <Table label="Providers" columns={columns} rows={data} rowId={({ id }) => id} />}
        </Loaded>
      </Card>
    </Page>
  );
}

const columns: Column<ProviderHealth>[] = [
  {
    header: 'Provider',
    accessorFn: ({ name }) => name,
    enableSorting: true,
    sortDescFirst: false,
    cell: ({ row: { original } }) => (
      <span className={styles.name}>
        <Link to={`/admin/providers/${encodeURIComponent(original.id)}`}>{original.name}</Link>
        <code className="muted">{original.dialect}</code>
      </span>
    ),
  },
  {
    header: 'Health',
    cell: ({ row }) => {
      const { tone, text } = healthOf(row.original);
      return (
        <span className={styles.name}>
          <Badge tone={tone}>{text}</Badge>
          {row.original.leftAlone.map((deployment) => (
            <code key={deployment} className="muted">
              {deployment}
            </code>
          ))}
        </span>
      );
    },
  },
  {
    header: 'Models',
    meta: { end: true },
    cell: ({ row: { original } }) => `${formatCount(original.available)} of ${formatCount(original.models)}`,
  },
  {
    header: 'Requests',
    meta: { end: true },
    enableSorting: true,
    accessorFn: ({ requests }) => requests,
    cell: ({ row }) => formatCount(row.original.requests),
  },
  {
    header: 'Errors',
    meta: { end: true },
    enableSorting: true,
    accessorFn: ({ failed, requests }) => failed / (requests || 1),
    cell: ({ row: { original } }) => (original.requests ? formatShare(original.failed, original.requests) : '–'),
  },
  {
    header: 'Latency p50 / p99',
    meta: { end: true },
    cell: ({ row }) => timesOf(row.original.latency),
  },
  {
    header: 'First token p50 / p99',
    meta: { end: true },
    cell: ({ row }) => timesOf(row.original.firstToken),
  },
  {
    header: 'Ask it',
    cell: ({ row }) => <ProviderCheck provider={row.original} />,
  },
];

const timesOf = (times: ProviderHealth['latency']) =>
  times ? `${formatDuration(times.p50)} / ${formatDuration(times.p99)}` : '–';
