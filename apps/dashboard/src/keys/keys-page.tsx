import { useMemo, useState } from 'react';
import type { OwnKey } from '../api/keys';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { Meter } from '../design/meter';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { type Column, Table } from '../design/table';
import { formatCompact } from '../format/number';
import { useMay, useSession } from '../session/session';
import { keyColumns } from './key-columns';
import { KeyLayer } from './key-layer';
import type { Layer } from './key-layer';
import styles from './keys.module.css';
import { useKeys, useMayChangeKey } from './use-keys';

export function KeysPage() {
  const keys = useKeys();
  const [layer, setLayer] = useState<Layer>(null);
  const mayChange = useMayChangeKey();
  const create = useMay('keys:own') && (
    <Button tone="primary" icon="plus" onClick={() => setLayer({ kind: 'create' })}>
      Create a key
    </Button>
  );
  return (
    <Page
      title="Keys"
      hint="A key is what your programs call the gateway with. Treat it like a password."
      actions={create}
    >
      <Card flush>
        <Loaded query={keys}>
          {({ data }) =>
            data.length ? (
              <KeysTable
                keys={data}
                mayChange={mayChange}
                onRename={(key) => setLayer({ kind: 'rename', key })}
                onLogging={(key) => setLayer({ kind: 'logging', key })}
                onRotate={(key) => setLayer({ kind: 'rotate', key })}
                onRevoke={(key) => setLayer({ kind: 'revoke', key })}
              />
            ) : (
              <Empty icon="key" title="You have no key yet" action={create}>
                Give it a name that says which program uses it.
              </Empty>
            )
          }
        </Loaded>
      </Card>
      <KeyLayer layer={layer} onLayer={setLayer} onChanged={() => void keys.refetch()} />
    </Page>
  );
}

/** What can be done with a key. */
interface Acts {
  /** Whether who looks may change a key. */
  mayChange: (key: OwnKey) => boolean;
  onRename: (key: OwnKey) => void;
  onLogging: (key: OwnKey) => void;
  onRotate: (key: OwnKey) => void;
  onRevoke: (key: OwnKey) => void;
}

function KeysTable({ keys, mayChange, onRename, onLogging, onRotate, onRevoke }: Acts & { keys: OwnKey[] }) {
  const columns = useMemo(
    () => columnsOf({ mayChange, onRename, onLogging, onRotate, onRevoke }),
    [mayChange, onRename, onLogging, onRotate, onRevoke],
  );
  const { user } = useSession();
  const holders = new Set(keys.map(({ person }) => person?.id ?? null));
  const isShared = holders.size > 1 || [...holders].some((holder) => holder !== null && holder !== user.id);
  return (
    <Table
      label="Your keys"
      columns={isShared ? columns : columns.filter((column) => column !== whose)}
      rows={keys}
      rowId={({ id }) => id}
    />
  );
}

const pageOf = ({ id }: OwnKey) => `/keys/${encodeURIComponent(id)}`;

function columnsOf({ mayChange, onRename, onLogging, onRotate, onRevoke }: Acts): Column<OwnKey>[] {
  const { name, state, models, lastUsed, expires, actions } = keyColumns<OwnKey>('Name', pageOf, (key) =>
    mayChange(key)
      ? [
          { name: 'Rename', icon: 'edit', onSelect: () => onRename(key) },
          { name: 'Logging', icon: 'list', onSelect: () => onLogging(key) },
          { name: 'Rotate', icon: 'refresh', onSelect: () => onRotate(key) },
          { name: 'Revoke', icon: 'trash', tone: 'bad', onSelect: () => onRevoke(key) },
        ]
      : [],
  );
  return [
    name,
    whose,
    state,
    models,
    { header: 'Tokens this month', cell: ({ row }) => <UsedTokens apiKey={row.original} /> },
    {
      header: 'Requests / min',
      meta: { end: true },
      cell: ({ row }) => (row.original.rpm === null ? 'No limit' : formatCompact(row.original.rpm)),
    },
    lastUsed,
    expires,
    actions,
  ];
}

/** Where keys are of several: of whom, or of the account itself. */
const whose: Column<OwnKey> = {
  header: 'Whose',
  cell: ({ row }) => <span className="break">{row.original.person?.name ?? 'The account’s'}</span>,
};

function UsedTokens({ apiKey: { name, usedTokens = 0, quotaTokens } }: { apiKey: OwnKey }) {
  if (quotaTokens === null) return <span className="number">{formatCompact(usedTokens)}, no limit</span>;
  return (
    <span className={styles.used}>
      <span className="number">
        {formatCompact(usedTokens)} of {formatCompact(quotaTokens)}
      </span>
      <Meter used={usedTokens} limit={quotaTokens} label={`Used tokens of ${name}`} />
    </span>
  );
}
