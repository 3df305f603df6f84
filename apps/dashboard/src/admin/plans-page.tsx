import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Plan } from '@tollgate/contracts/accounts';
import { useState } from 'react';
import { Link } from 'react-router';
import { fetchPlans, removePlan } from '../api/plans';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { ConfirmDialog } from '../design/confirm-dialog';
import { Page } from '../design/page';
import { Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatCount } from '../format/number';
import styles from './admin.module.css';
import { modelLimitsText } from './model-limits';
import { PlanDialog } from './plan-dialog';
import { planGone, planUseText } from './plan-use';

/** Accounts puts a change in force within two seconds. */
const followMs = 2_000;

/** What lies above the page, if anything. `plan` null: a new one. */
type Layer = { kind: 'change'; plan: Plan | null } | { kind: 'remove'; plan: Plan } | null;

/** The plans there are, and the way to others. */
export function PlansPage() {
  const client = useQueryClient();
  const plans = useQuery({ queryKey: ['admin', 'plans'], queryFn: fetchPlans, refetchInterval: followMs });
  const [layer, setLayer] = useState<Layer>(null);
  const close = () => setLayer(null);
  const refresh = () => client.invalidateQueries({ queryKey: ['admin'] });
  return (
    <Page
      title="Plans"
      hint={
        <>
          What keys may ask for that have no limits of their own. Keys follow a change within seconds; who changed what,
          and the way back, stand in the history of the <Link to="/admin/config">gateway settings</Link>.
        </>
      }
      actions={
        <Button tone="primary" icon="plus" onClick={() => setLayer({ kind: 'change', plan: null })}>
          Add a plan
        </Button>
      }
    >
      <Card flush>
        <Loaded query={plans} lines={4}>
          {({ data }) => <Table label="Plans" columns={columnsOf(setLayer)} rows={data} rowId={({ name }) => name} />}
        </Loaded>
      </Card>
      {layer?.kind === 'change' && plans.data && (
        <PlanDialog plan={layer.plan} existing={plans.data.data} onClose={close} onDone={refresh} />
      )}
      {layer?.kind === 'remove' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Remove the plan "${layer.plan.name}"?`}
          action="Remove the plan"
          onConfirm={async () => {
            await removePlan(layer.plan.name);
            await refresh();
          }}
        >
          {planUseText(layer.plan)} {planGone}
        </ConfirmDialog>
      )}
    </Page>
  );
}

const origins: Record<Plan['origin'], string> = { release: 'the release', file: 'the file', settings: 'settings' };
const countText = (count: number | null) => (count === null ? '–' : formatCount(count));
const limitText = (limit: number | null) => (limit === null ? 'no limit' : formatCount(limit));

const columnsOf = (onAct: (layer: Layer) => void): Column<Plan>[] => [
  { header: 'Plan', cell: ({ row }) => <strong className="break">{row.original.name}</strong> },
  { header: 'Keys', meta: { end: true }, cell: ({ row }) => countText(row.original.keys) },
  { header: 'Requests a minute', meta: { end: true }, cell: ({ row }) => limitText(row.original.rpm) },
  { header: 'Tokens a minute', meta: { end: true }, cell: ({ row }) => limitText(row.original.tpm) },
  { header: 'Tokens a month', meta: { end: true }, cell: ({ row }) => limitText(row.original.quotaTokens) },
  { header: 'At once', meta: { end: true }, cell: ({ row }) => limitText(row.original.concurrency) },
  {
    header: 'Models, a minute',
    cell: ({ row }) => <span className={styles.lines}>{modelLimitsText(row.original.modelLimits) || '–'}</span>,
  },
  {
    header: 'From',
    cell: ({ row }) => (
      <Badge tone={row.original.origin === 'settings' ? 'accent' : 'plain'}>{origins[row.original.origin]}</Badge>
    ),
  },
  {
    header: 'Change',
    cell: ({ row: { original } }) => <Acts plan={original} onAct={onAct} />,
  },
];

/** A plan of the file is changed there. */
function Acts({ plan, onAct }: { plan: Plan; onAct: (layer: Layer) => void }) {
  const { name, origin } = plan;
  if (origin === 'file') return 'in tollgate.yaml';
  return (
    <>
      <Button size="small" aria-label={`Change ${name}`} onClick={() => onAct({ kind: 'change', plan })}>
        Change
      </Button>{' '}
      {origin === 'settings' && (
        <Button size="small" aria-label={`Remove ${name}`} onClick={() => onAct({ kind: 'remove', plan })}>
          Remove
        </Button>
      )}
    </>
  );
}
