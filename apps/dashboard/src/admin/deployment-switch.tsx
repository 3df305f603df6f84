import { useState } from 'react';
import { holdDeployment } from '../api/admin';
import type { HoldWish, ListedDeployment } from '../api/admin';
import { Button } from '../design/button';
import { ConfirmDialog } from '../design/confirm-dialog';
import { SelectField, TextField } from '../design/field';
import styles from './admin.module.css';

type Wanted = HoldWish['state'];

const acts: Record<Wanted, { name: string; effect: string }> = {
  closed: {
    name: 'Close',
    effect:
      'No request goes there, and those that run there end: they go on elsewhere, or fail. Within a second, at every instance.',
  },
  draining: { name: 'Drain', effect: 'No new request goes there; those that run there end by themselves.' },
  open: { name: 'Open', effect: 'Requests may go there again at once.' },
};

const lengths = [
  { forS: 0, name: 'Until it is opened again' },
  { forS: 1_800, name: 'For 30 minutes' },
  { forS: 7_200, name: 'For 2 hours' },
  { forS: 86_400, name: 'For a day' },
] as const;

/** Closes, drains or opens a deployment, after asking. */
export function DeploymentSwitch({
  deployment,
  onChanged,
}: {
  deployment: ListedDeployment;
  onChanged: () => Promise<unknown>;
}) {
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const now: Wanted = deployment.held?.state ?? 'open';
  const offered = (['open', 'draining', 'closed'] as const).filter((state) => state !== now);
  return (
    <span className={styles.actions}>
      {offered.map((state) => (
        <Button
          key={state}
          size="small"
          tone={state === 'open' ? 'primary' : 'plain'}
          aria-label={`${acts[state].name} ${deployment.id}`}
          onClick={() => setWanted(state)}
        >
          {acts[state].name}
        </Button>
      ))}
      {wanted && (
        <HoldDialog id={deployment.id} wanted={wanted} onClose={() => setWanted(null)} onChanged={onChanged} />
      )}
    </span>
  );
}

function HoldDialog({
  id,
  wanted,
  onClose,
  onChanged,
}: {
  id: string;
  wanted: Wanted;
  onClose: () => void;
  onChanged: () => Promise<unknown>;
}) {
  const [reason, setReason] = useState('');
  const [forS, setForS] = useState(0);
  const { name, effect } = acts[wanted];
  const hold = async () => {
    await holdDeployment({
      deployment: id,
      state: wanted,
      ...(reason.trim() && { reason: reason.trim() }),
      ...(wanted !== 'open' && forS > 0 && { forS }),
    });
    await onChanged();
  };
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`${name} ${id}?`}
      action={name}
      tone={wanted === 'open' ? 'primary' : 'danger'}
      onConfirm={hold}
    >
      <div className={styles.form}>
        <p>{effect}</p>
        <TextField
          label="Reason"
          optional
          hint="For the audit log and other operators; callers are not told."
          maxLength={300}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        {wanted !== 'open' && (
          <SelectField label="How long" value={forS} onChange={(event) => setForS(Number(event.target.value))}>
            {lengths.map((length) => (
              <option key={length.forS} value={length.forS}>
                {length.name}
              </option>
            ))}
          </SelectField>
        )}
      </div>
    </ConfirmDialog>
  );
}
