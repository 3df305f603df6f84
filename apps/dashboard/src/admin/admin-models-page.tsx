import { useQuery } from '@tanstack/react-query';
import { fetchAdminModels, lookForModels } from '../api/admin';
import type { AdminModel } from '../api/admin';
import type { ListedModel } from '../api/catalog';
import { useAction } from '../api/use-action';
import { Badge } from '../design/badge';
import { Page } from '../design/page';
import { Button } from '../design/button';
import { Note } from '../design/note';
import { Loaded } from '../design/states';
import type { Column } from '../design/table';
import { FoundModels } from '../models/found-models';
import { modelColumns } from '../models/model-columns';
import styles from './admin.module.css';
import { ModelSwitch } from './model-switch';

export function AdminModelsPage() {
  const models = useQuery({ queryKey: ['admin', 'models'], queryFn: fetchAdminModels });
  const columns: Column<AdminModel>[] = [
    {
      header: 'New',
      accessorFn: ({ discovered }) => discovered,
      cell: ({ row }) => row.original.discovered && <Badge tone="accent">new</Badge>,
    },
    ...modelColumns
      .filter(({ header }) => !left.has(String(header)))
      .map((column) => column as Column<AdminModel & ListedModel>),
    { header: 'Aliases', cell: ({ row }) => <Names names={row.original.aliases} /> },
    { header: 'Deployments', cell: ({ row }) => <Names names={row.original.deployments.map(({ id }) => id)} /> },
    { header: 'Fallbacks', cell: ({ row }) => <Names names={row.original.fallbacks} /> },
    { header: 'Offered', cell: ({ row }) => <ModelSwitch model={row.original} onChanged={models.refetch} /> },
  ];
  return (
    <Page
      title="Models and prices"
      hint="Prices come from the price sheets in force; the tollgate command imports new ones. US dollars per million tokens."
    >
      <Loaded query={models} lines={10}>
        {({ data, factsAsOf }) => (
          <FoundModels
            label="Models and prices"
            models={data.toSorted((a, b) => Number(b.discovered) - Number(a.discovered))}
            columns={columns}
            summary={(found) => (
              <>
                <Freshness found={found} factsAsOf={factsAsOf} now={models.dataUpdatedAt} />
                <LookButton onLooked={models.refetch} />
              </>
            )}
          />
        )}
      </Loaded>
    </Page>
  );
}

const left = new Set(['Provider', 'Can', 'Context']);

const dayMs = 86_400_000;
/** From this age on the catalog is likely to miss models and prices; an alert fires then too. */
const oldAfterDays = 60;

/** How old the facts of the catalog are, and how many models wait for an administrator. */
function Freshness({ found, factsAsOf, now }: { found: AdminModel[]; factsAsOf: string | null; now: number }) {
  const waiting = found.filter(({ discovered, enabled }) => discovered && !enabled).length;
  const days = factsAsOf === null ? null : Math.max(0, Math.floor((now - Date.parse(factsAsOf)) / dayMs));
  const age = days === null ? 'It is not known how old the facts are.' : `Facts of ${factsAsOf}, ${days} days old.`;
  return (
    <Note tone={waiting > 0 || (days ?? 0) > oldAfterDays ? 'warn' : 'info'}>
      {age} {waiting > 0 && `New at their providers and not offered until you switch them on: ${waiting}.`}
    </Note>
  );
}

/** Reads the providers' own lists now, instead of within a day. */
function LookButton({ onLooked }: { onLooked: () => Promise<unknown> }) {
  const { run, busy, problem } = useAction(async () => {
    await lookForModels();
    await onLooked();
  });
  return (
    <p>
      <Button size="small" disabled={busy} onClick={() => void run()}>
        {busy ? 'Asking the providers…' : 'Look for new models'}
      </Button>{' '}
      {problem !== null && <Badge tone="bad">{problem}</Badge>}
    </p>
  );
}

function Names({ names }: { names: string[] }) {
  if (!names.length) return '–';
  return (
    <ol className={styles.names}>
      {names.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ol>
  );
}
