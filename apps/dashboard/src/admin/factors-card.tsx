import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchFactors, setFactors, type ToldFactors } from '../api/prices';
import { useAction } from '../api/use-action';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { ConfirmDialog } from '../design/confirm-dialog';
import { TextField } from '../design/field';
import { FormDialog } from '../design/form-dialog';
import { Note } from '../design/note';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatDateTime } from '../format/time';
import styles from './admin.module.css';
import { factorDoubts, whenAndWhy } from './price-fields';
import { factorsText } from './price-text';

/** What lies above the page, if anything. `told` null: any deployment. */
type Layer = { kind: 'set'; told: ToldFactors | null } | { kind: 'remove'; told: ToldFactors } | null;

/** What deployments cost beside the price of their models, and the way to change it. */
export function FactorsCard() {
  const client = useQueryClient();
  const factors = useQuery({ queryKey: ['admin', 'price factors'], queryFn: fetchFactors });
  const [layer, setLayer] = useState<Layer>(null);
  const onDone = () => client.invalidateQueries({ queryKey: ['admin'] });
  const close = () => setLayer(null);
  return (
    <Card
      title="Discounts and markups"
      flush
      actions={
        <Button size="small" icon="plus" onClick={() => setLayer({ kind: 'set', told: null })}>
          Set a discount or markup
        </Button>
      }
    >
      <Loaded query={factors} lines={3}>
        {({ deployments }) =>
          deployments.length === 0 ? (
            <Empty icon="layers" title="Every deployment costs what its model does" />
          ) : (
            <Table
              label="Discounts and markups"
              columns={columnsOf(setLayer)}
              rows={deployments}
              rowId={({ deployment }) => deployment}
            />
          )
        }
      </Loaded>
      {layer?.kind === 'set' && <FactorDialog told={layer.told} onClose={close} onDone={onDone} />}
      {layer?.kind === 'remove' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Remove what ${layer.told.deployment} costs beside its model?`}
          action="Remove it"
          onConfirm={async () => {
            await setFactors({ deployment: layer.told.deployment, factors: null });
            await onDone();
          }}
        >
          In ten minutes it costs what its model does. What started before keeps its own.
        </ConfirmDialog>
      )}
    </Card>
  );
}

const columnsOf = (onAct: (layer: Layer) => void): Column<ToldFactors>[] => [
  { header: 'Deployment', cell: ({ row }) => <strong className="break">{row.original.deployment}</strong> },
  { header: 'Now', cell: ({ row }) => factorsText(row.original.factors) },
  {
    header: 'To come',
    cell: ({ row }) => (
      <span className={styles.lines}>
        {row.original.next.map(({ from, factors }) => `${formatDateTime(from)}: ${factorsText(factors)}`).join('\n') ||
          '–'}
      </span>
    ),
  },
  {
    header: 'From',
    cell: ({ row: { original } }) => (
      <Badge tone={original.origin === 'settings' ? 'accent' : 'plain'}>
        {original.origin === 'settings' ? 'set here' : 'from the file'}
      </Badge>
    ),
  },
  { header: 'Change', cell: ({ row: { original } }) => <Acts told={original} onAct={onAct} /> },
];

/** What the file says is changed there. */
function Acts({ told, onAct }: { told: ToldFactors; onAct: (layer: Layer) => void }) {
  if (told.origin === 'file') return 'in tollgate.yaml';
  const { deployment } = told;
  return (
    <>
      <Button
        size="small"
        aria-label={`Set another discount or markup of ${deployment}`}
        onClick={() => onAct({ kind: 'set', told })}
      >
        Set another
      </Button>{' '}
      {told.factors !== null && (
        <Button
          size="small"
          aria-label={`Remove the discount and markup of ${deployment}`}
          onClick={() => onAct({ kind: 'remove', told })}
        >
          Remove
        </Button>
      )}
    </>
  );
}

/** Sets what a deployment costs beside its model from an instant on. `told` null: one that is typed. */
function FactorDialog({
  told,
  onClose,
  onDone,
}: {
  told: ToldFactors | null;
  onClose: () => void;
  onDone: () => Promise<unknown>;
}) {
  const { discount = '', markup = '' } = told?.factors ?? {};
  const [typed, setTyped] = useState({ deployment: told?.deployment ?? '', discount, markup, from: '', reason: '' });
  const [doubts, setDoubts] = useState<readonly string[]>([]);
  const action = useAction(async () => {
    const off = typed.discount.trim();
    const top = typed.markup.trim();
    const deployment = typed.deployment.trim();
    const factors = { ...(off !== '' && { discount: off }), ...(top !== '' && { markup: top }) };
    const wish = { deployment, factors, ...whenAndWhy(typed) };
    const { isKnown } = await setFactors({ ...wish, dryRun: true });
    const found = factorDoubts(deployment, factors, isKnown);
    setDoubts(found);
    // Whoever was told of all of them means it.
    if (found.some((doubt) => !doubts.includes(doubt))) return;
    await setFactors(wish);
    await onDone();
    onClose();
  });
  const field = (name: keyof typeof typed) => ({
    value: typed[name],
    onChange: (event: { target: { value: string } }) => setTyped({ ...typed, [name]: event.target.value }),
  });
  return (
    <FormDialog
      title={told ? `Another discount or markup of ${told.deployment}` : 'Set a discount or markup'}
      description={
        told
          ? `Now: ${factorsText(told.factors)}. Both are set anew: what is empty it has none of.`
          : 'What started before its instant keeps its own.'
      }
      act={doubts.length > 0 ? 'Set it all the same' : 'Set it'}
      action={action}
      onSubmit={action.run}
      onClose={onClose}
    >
      {told === null && (
        <TextField
          label="Deployment"
          required
          hint="Its id, as the page Deployments shows it, such as openai:gpt-5.4."
          {...field('deployment')}
        />
      )}
      <TextField
        label="Discount"
        optional
        inputMode="decimal"
        hint="What your contract takes off each charge, a fraction: 0.15 for 15 %."
        {...field('discount')}
      />
      <TextField
        label="Markup"
        optional
        inputMode="decimal"
        hint="What comes on top of what is left: 0.2 for 20 %."
        {...field('markup')}
      />
      <TextField
        label="From"
        type="datetime-local"
        optional
        hint="Five minutes from now at the earliest. Empty: in ten minutes."
        {...field('from')}
      />
      <TextField label="Reason" optional hint="For the history." maxLength={300} {...field('reason')} />
      {doubts.length > 0 && (
        <Note tone="warn" title="Nothing is set yet">
          {doubts.join(' ')}
        </Note>
      )}
    </FormDialog>
  );
}
