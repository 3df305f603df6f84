import type { ReactNode } from 'react';
import { useAction } from '../api/use-action';
import { Button } from './button';
import { Dialog, DialogActions } from './dialog';
import { Note } from './note';

/** Asks before something that cannot be taken back. What went wrong stays in the dialog. */
export function ConfirmDialog({
  open,
  onClose,
  title,
  children,
  action,
  tone = 'danger',
  onConfirm,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  action: string;
  tone?: 'danger' | 'primary';
  onConfirm: () => Promise<unknown>;
}) {
  const { run, busy, problem } = useAction(async () => {
    await onConfirm();
    onClose();
  });
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <div>{children}</div>
      {problem && <Note tone="bad">{problem}</Note>}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button tone={tone} busy={busy} onClick={() => void run()}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
