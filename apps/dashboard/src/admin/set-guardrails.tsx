import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { removeGuardrail, type SetGuardrail } from '../api/guardrails';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { ConfirmDialog } from '../design/confirm-dialog';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { draftOf, type DraftFields } from './guardrail-draft';

/** Who says each guardrail, and the way to change those that are set here. Nothing where there are none. */
export function SetGuardrails({
  told,
  onChange,
}: {
  told: readonly SetGuardrail[];
  onChange: (draft: DraftFields) => void;
}) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<SetGuardrail | null>(null);
  if (told.length === 0) return null;
  return (
    <Card title="Who says them" flush>
      <Table label="Who says guardrails" columns={columnsOf(onChange, setAsked)} rows={[...told]} rowId={rowId} />
      {asked && (
        <ConfirmDialog
          open
          onClose={() => setAsked(null)}
          title={`Remove the guardrail ${asked.id}?`}
          action="Remove it"
          onConfirm={async () => {
            await removeGuardrail(asked.id);
            await client.invalidateQueries({ queryKey: ['admin'] });
          }}
        >
          It looks for nothing any more within seconds. The history of settings keeps it.
        </ConfirmDialog>
      )}
    </Card>
  );
}

/** One may stand in the file and in the settings. */
const rowId = ({ id, origin }: SetGuardrail) => `${origin} ${id}`;

const standings = { 'in-force': 'in force', overridden: 'the file says it, too', 'set-aside': 'set aside' } as const;

const columnsOf = (
  onChange: (draft: DraftFields) => void,
  onRemove: (one: SetGuardrail) => void,
): Column<SetGuardrail>[] => [
  { header: 'Guardrail', cell: ({ row }) => <strong className="break">{row.original.id}</strong> },
  {
    header: 'From',
    cell: ({ row: { original } }) => (
      <Badge tone={original.origin === 'settings' ? 'accent' : 'plain'}>
        {original.origin === 'settings' ? 'set here' : 'from the file'}
      </Badge>
    ),
  },
  {
    header: 'Standing',
    cell: ({ row: { original } }) => <span title={original.problem ?? undefined}>{standings[original.standing]}</span>,
  },
  {
    header: 'Change',
    cell: ({ row: { original } }) => <Acts told={original} onChange={onChange} onRemove={onRemove} />,
  },
];

/** What the file says is changed there. */
function Acts({
  told,
  onChange,
  onRemove,
}: {
  told: SetGuardrail;
  onChange: (draft: DraftFields) => void;
  onRemove: (one: SetGuardrail) => void;
}) {
  if (told.origin === 'file') return 'in tollgate.yaml';
  const draft = draftOf(told.id, told.said);
  return (
    <>
      {draft && (
        <Button size="small" aria-label={`Change the guardrail ${told.id}`} onClick={() => onChange(draft)}>
          Change
        </Button>
      )}{' '}
      <Button size="small" aria-label={`Remove the guardrail ${told.id}`} onClick={() => onRemove(told)}>
        Remove
      </Button>
    </>
  );
}
