import type { SettingsEntry } from '@tollgate/contracts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchSettings } from '../api/gateway-settings';
import type { GatewaySettings } from '../api/gateway-settings';
import { Badge } from '../design/badge';
import { Card } from '../design/card';
import { Note } from '../design/note';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatDateTime } from '../format/time';
import { SettingsEditor } from './settings-editor';
import { SettingsHistory } from './settings-history';

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
