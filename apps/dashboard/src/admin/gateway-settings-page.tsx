import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { SettingsEntry } from '@tollgate/contracts/catalog';
import { useMemo, useState } from 'react';
import { byCursor } from '../api/by-cursor';
import { compareSettings, fetchSettings, fetchSettingsHistory, rollBackSettings } from '../api/gateway-settings';
import type { GatewaySettings, SettingsVersion } from '../api/gateway-settings';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { ConfirmDialog } from '../design/confirm-dialog';
import { LoadedPages } from '../design/loaded-pages';
import { Note } from '../design/note';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatDateTime } from '../format/time';
import { SettingsChanges } from './settings-changes';
import { SettingsEditor } from './settings-editor';

/** What is set without tollgate.yaml: what holds and from where, another document, and versions of before. */
export function GatewaySettingsPage() {
  const settings = useQuery({ queryKey: ['admin', 'config'], queryFn: fetchSettings });
  /** Grows with each change made here, after which the editor begins anew. */
  const [edition, setEdition] = useState(0);
  const changed = async () => {
    await settings.refetch();
    setEdition(edition + 1);
  };
  return (
    <Page
      title="Gateway settings"
      hint="Fallbacks, aliases and other settings of models, guardrails and new models: in force within seconds, without a restart. What tollgate.yaml says wins, and is changed there."
    >
      <Loaded query={settings} lines={10}>
        {(shown) => (
          <>
            <InForce {...shown} />
            <SettingsEditor key={`edition ${edition}`} shown={shown} onChanged={changed} />
            <SettingsHistory key={`version ${shown.version}`} version={shown.version} onChanged={changed} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function InForce({ version, setAt, setBy, reason, entries }: GatewaySettings) {
  const unfit = entries.flatMap(({ problem }) => problem ?? []);
  const who =
    setAt === null ? 'Nothing was ever set here.' : `Version ${version}, by ${setBy}, ${formatDateTime(setAt)}`;
  return (
    <Card title="In force" hint={reason === null ? who : `${who}: ${reason}`} flush>
      {unfit.length > 0 && (
        <Note tone="warn" title="Not everything fits the file and this release any more">
          {unfit.map((problem) => (
            <p key={problem} className="break">
              {problem}
            </p>
          ))}
        </Note>
      )}
      {entries.length === 0 ? (
        <Empty icon="settings" title="The catalog is as the release brings it">
          Neither tollgate.yaml nor these settings say anything.
        </Empty>
      ) : (
        <Table
          label="Entries in force"
          columns={columns}
          rows={entries}
          rowId={({ section, id, origin }) => [origin, section, id].join(' ')}
        />
      )}
    </Card>
  );
}

const standings = {
  'in-force': <Badge tone="good">in force</Badge>,
  overridden: <Badge tone="warn">the file says it, and wins</Badge>,
  'set-aside': <Badge tone="bad">set aside: it does not fit</Badge>,
} as const;

const columns: Column<SettingsEntry>[] = [
  { header: 'Section', cell: ({ row }) => row.original.section },
  { header: 'Entry', cell: ({ row }) => <span className="break">{row.original.id ?? 'as a whole'}</span> },
  { header: 'Origin', cell: ({ row }) => (row.original.origin === 'file' ? 'from the file' : 'settings') },
  { header: 'Standing', cell: ({ row }) => standings[row.original.standing] },
];

/** Every version that there was, and the way back to it. `version` holds. */
function SettingsHistory({ version, onChanged }: { version: number; onChanged: () => Promise<unknown> }) {
  const [asked, setAsked] = useState<number | null>(null);
  const history = useInfiniteQuery({
    queryKey: ['admin', 'config', 'history', version],
    queryFn: ({ pageParam }) => fetchSettingsHistory(pageParam ?? undefined),
    ...byCursor,
  });
  const columns = useMemo(() => columnsOf(version, setAsked), [version]);
  return (
    <Card title="History" flush>
      <LoadedPages query={history} empty={<Empty icon="book" title="Nothing was ever set here" />}>
        {(rows, more) => (
          <Table label="Versions" columns={columns} rows={rows} rowId={(row) => String(row.version)} more={more} />
        )}
      </LoadedPages>
      {asked !== null && (
        <RollBackDialog to={asked} version={version} onClose={() => setAsked(null)} onChanged={onChanged} />
      )}
    </Card>
  );
}

function RollBackDialog({
  to,
  version,
  onClose,
  onChanged,
}: {
  to: number;
  version: number;
  onClose: () => void;
  onChanged: () => Promise<unknown>;
}) {
  const compared = useQuery({
    queryKey: ['admin', 'config', 'compared', to, version],
    queryFn: () => compareSettings(to, version),
  });
  const rollBack = async () => {
    await rollBackSettings({ to, version });
    await onChanged();
  };
  return (
    <ConfirmDialog open onClose={onClose} title={`Back to version ${to}?`} action="Roll back" onConfirm={rollBack}>
      <p>This changes, at every instance within seconds. It becomes a version of its own.</p>
      <Loaded query={compared} lines={3}>
        {({ changes }) => <SettingsChanges changes={changes} />}
      </Loaded>
    </ConfirmDialog>
  );
}

const columnsOf = (inForce: number, onAsked: (version: number) => void): Column<SettingsVersion>[] => [
  { header: 'Version', cell: ({ row }) => row.original.version },
  { header: 'Since', cell: ({ row }) => formatDateTime(row.original.setAt) },
  { header: 'Who', cell: ({ row }) => <span className="break">{row.original.setBy}</span> },
  { header: 'Why', cell: ({ row }) => <span className="break">{row.original.reason ?? '–'}</span> },
  {
    header: 'Way back',
    cell: ({ row: { original } }) =>
      original.version === inForce ? (
        <Badge tone="good">in force</Badge>
      ) : (
        <Button
          size="small"
          aria-label={`Compare, roll back to version ${original.version}`}
          onClick={() => onAsked(original.version)}
        >
          Compare, roll back
        </Button>
      ),
  },
];
