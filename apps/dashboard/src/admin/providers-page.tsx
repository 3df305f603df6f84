import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { fetchProviders } from '../api/admin';
import type { ProviderHealth } from '../api/admin';
import { fetchLiveProviders, giveKey, setProvider } from '../api/live-providers';
import { useAction } from '../api/use-action';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { SecretField, SelectField, TextField } from '../design/field';
import { FormDialog } from '../design/form-dialog';
import { Note } from '../design/note';
import { Page } from '../design/page';
import { Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatCount, formatShare } from '../format/number';
import { formatDuration } from '../format/time';
import styles from './admin.module.css';
import { usualKey } from './give-key-dialog';
import { healthOf } from './health-of';
import { ProviderCheck } from './provider-check';

/** What people call what a server speaks. */
const formats = {
  'openai-chat': 'OpenAI’s chat completions',
  'openai-responses': 'OpenAI’s responses',
  'anthropic-messages': 'Anthropic’s messages',
} as const;

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

/** Sets a provider of the operator's own, with its key. */
function AddProviderDialog({ onClose, onAdded }: { onClose: () => void; onAdded: () => Promise<unknown> }) {
  const [id, setId] = useState('');
  const [baseUrl, setBaseUrl] = useState('');
  const [dialect, setDialect] = useState<string>('openai-chat');
  const [key, setKey] = useState('');
  /** The id of what this dialog added already. */
  const [added, setAdded] = useState<string | null>(null);
  const action = useAction(async () => {
    const given = key.trim();
    const keys = given === '' ? [] : [usualKey];
    // What was added is not added once more where its key alone was refused.
    const wish = { baseUrl: baseUrl.trim(), dialect, keys, onlyNew: added !== id.trim() };
    const { provider } = await setProvider(id.trim(), wish);
    setAdded(id.trim());
    if (given !== '') await giveKey(id.trim(), usualKey, given, provider.baseUrl ?? undefined);
    await onAdded();
    onClose();
  });
  return (
    <FormDialog
      title="Add a provider"
      description="A server of yours, or a service that speaks like one. Its models are read from its own list. It holds within seconds, without a restart."
      act="Add"
      action={action}
      onSubmit={action.run}
      onClose={onClose}
    >
      <TextField
        label="Id"
        required
        pattern="[a-z0-9][a-z0-9\-]*"
        title="Lower-case letters, digits and dashes"
        hint="Names of its models begin with it, such as acme/small."
        autoComplete="off"
        maxLength={64}
        value={id}
        onChange={(event) => setId(event.target.value)}
      />
      <TextField
        label="Address"
        required
        type="url"
        placeholder="https://models.example.com/v1"
        hint="On the internet, and with https, unless PROVIDER_PRIVATE_HOSTS of the gateway names its host."
        autoComplete="off"
        value={baseUrl}
        onChange={(event) => setBaseUrl(event.target.value)}
      />
      <SelectField label="What it speaks" value={dialect} onChange={(event) => setDialect(event.target.value)}>
        {Object.entries(formats).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </SelectField>
      <SecretField
        label="Key"
        optional
        hint="Sealed for this address alone; nobody is shown it again. Leave it empty for a server that needs none."
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
    </FormDialog>
  );
}
