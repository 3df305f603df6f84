import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { compareSettings, fetchSettingsHistory, rollBackSettings } from '../api/gateway-settings';
import type { SettingsVersion } from '../api/gateway-settings';
import { byCursor } from '../api/by-cursor';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { ConfirmDialog } from '../design/confirm-dialog';
import { LoadedPages } from '../design/loaded-pages';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatDateTime } from '../format/time';
import { SettingsChanges } from './settings-changes';

/** Every version that there was, and the way back to it. `version` holds. */
export function SettingsHistory({ version, onChanged }: { version: number; onChanged: () => Promise<unknown> }) {
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
