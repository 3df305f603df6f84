import { useState } from 'react';
import { switchModel } from '../api/admin';
import type { AdminModel } from '../api/admin';
import { Button } from '../design/button';
import { ConfirmDialog } from '../design/confirm-dialog';

/** Whether a model is offered, and the way to change that. */
export function ModelSwitch({ model, onChanged }: { model: AdminModel; onChanged: () => Promise<unknown> }) {
  const [asks, setAsks] = useState(false);
  const { id, name, enabled } = model;
  const action = enabled ? 'Switch off' : 'Switch on';
  const set = async (wanted: boolean) => {
    await switchModel(id, wanted);
    await onChanged();
  };
  return (
    <>
      <Button
        size="small"
        tone={enabled ? 'plain' : 'primary'}
        aria-label={`${action} ${name}`}
        onClick={() => setAsks(true)}
      >
        {action}
      </Button>
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={enabled ? `Switch ${name} off?` : `Switch ${name} on?`}
        action={action}
        tone={enabled ? 'danger' : 'primary'}
        onConfirm={() => set(!enabled)}
      >
        {enabled
          ? 'Nobody gets it any more, also not as a fallback, until you switch it on again. Requests that run go on.'
          : 'Everybody whose key allows it can use it again at once.'}
      </ConfirmDialog>
    </>
  );
}
