import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchAdminModels, lookForModels } from '../api/admin';
import type { AdminModel } from '../api/admin';
import type { ListedModel } from '../api/catalog';
import { fetchSetModels, removeModel, type SetModel } from '../api/set-models';
import { useAction } from '../api/use-action';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { ConfirmDialog } from '../design/confirm-dialog';
import { Page } from '../design/page';
import { Note } from '../design/note';
import { Loaded } from '../design/states';
import type { Column } from '../design/table';
import { FoundModels } from '../models/found-models';
import { modelColumns } from '../models/model-columns';
import styles from './admin.module.css';
import { ModelDialog } from './model-dialog';
import { ModelSwitch } from './model-switch';

/** Edge hears of a change within two seconds. */
const followMs = 5_000;

/** What lies above the page, if anything. `model` null: a new one. */
type Layer = { kind: 'change'; model: AdminModel | null } | { kind: 'remove'; model: AdminModel } | null;

/** The catalog with what callers do not see, and the way to other deployments, fallbacks and models. */
export function AdminModelsPage() {
  const client = useQueryClient();
  const models = useQuery({ queryKey: ['admin', 'models'], queryFn: fetchAdminModels, refetchInterval: followMs });
  const set = useQuery({ queryKey: ['admin', 'set-models'], queryFn: fetchSetModels });
  const [layer, setLayer] = useState<Layer>(null);
  const close = () => setLayer(null);
  const refresh = () => client.invalidateQueries({ queryKey: ['admin'] });
  return (
    <Page
      title="Models and prices"
      hint="Where each model is generated, and what is asked in its place. Prices come from the price sheets in force, in US dollars per million tokens."
      actions={
        <Button tone="primary" icon="plus" onClick={() => setLayer({ kind: 'change', model: null })}>
          Add a model
        </Button>
      }
    >
      <SetAside models={set.data?.models ?? []} />
      <Loaded query={models} lines={10}>
        {({ data, factsAsOf }) => (
          <FoundModels
            label="Models and prices"
            models={data.toSorted((a, b) => Number(b.discovered) - Number(a.discovered))}
            columns={columnsOf(set.data?.models, setLayer, refresh)}
            summary={(found) => (
              <>
                <Freshness found={found} factsAsOf={factsAsOf} now={models.dataUpdatedAt} />
                <LookButton onLooked={models.refetch} />
              </>
            )}
          />
        )}
      </Loaded>
      {layer?.kind === 'change' && models.data && (
        <ModelDialog
          model={layer.model}
          taken={models.data.data.map(({ id }) => id)}
          onClose={close}
          onDone={refresh}
        />
      )}
      {layer?.kind === 'remove' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Take back what was set of ${layer.model.id}?`}
          action="Take it back"
          onConfirm={async () => {
            await removeModel(layer.model.id);
            await refresh();
          }}
        >
          What the release says of it holds again. A model that the release does not have is gone: nobody gets it any
          more, and requests that run go on.
        </ConfirmDialog>
      )}
    </Page>
  );
}

/** `set` undefined: it is not known yet which of them were set. */
function columnsOf(
  set: readonly SetModel[] | undefined,
  onAct: (layer: Layer) => void,
  onChanged: () => Promise<unknown>,
): Column<AdminModel>[] {
  const ofModel = new Map(set?.map((each) => [each.model, each]));
  return [
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
    { header: 'Offered', cell: ({ row }) => <ModelSwitch model={row.original} onChanged={onChanged} /> },
    {
      header: 'Change',
      cell: ({ row: { original } }) =>
        set && <Acts model={original} origin={ofModel.get(original.id)?.origin ?? null} onAct={onAct} />,
    },
  ];
}

/** `origin` null: the release alone says what it is. A model of the file is changed there. */
function Acts({
  model,
  origin,
  onAct,
}: {
  model: AdminModel;
  origin: SetModel['origin'] | null;
  onAct: (layer: Layer) => void;
}) {
  if (origin === 'file') return 'from the file';
  return (
    <>
      <Button size="small" aria-label={`Change ${model.id}`} onClick={() => onAct({ kind: 'change', model })}>
        Change
      </Button>{' '}
      {origin === 'settings' && (
        <Button size="small" aria-label={`Take back ${model.id}`} onClick={() => onAct({ kind: 'remove', model })}>
          Take back
        </Button>
      )}
    </>
  );
}

/** Entries that were taken, and do not hold any more. */
function SetAside({ models }: { models: readonly SetModel[] }) {
  const aside = models.filter(({ standing }) => standing === 'set-aside');
  if (aside.length === 0) return null;
  return (
    <Note tone="warn" title="Not every model that was set holds">
      {aside.map(({ model, problem }) => (
        <p key={model} className="break">
          {model}: {problem}
        </p>
      ))}
    </Note>
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
