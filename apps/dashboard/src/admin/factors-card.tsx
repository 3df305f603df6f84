import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchFactors, setFactors, type ToldFactors } from '../api/prices';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { ConfirmDialog } from '../design/confirm-dialog';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatDateTime } from '../format/time';
import styles from './admin.module.css';
import { FactorDialog } from './factor-dialog';
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
