import { useState } from 'react';
import { removeContentOf } from '../api/content-log';
import { switchLogging } from '../api/keys';
import type { OwnKey } from '../api/keys';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { ConfirmDialog } from '../design/confirm-dialog';
import { Choice } from '../design/choice';
import { Dialog, DialogActions } from '../design/dialog';
import { Note } from '../design/note';
import { useSession } from '../session/session';
import { loggingText } from './logging-text';

/** Switches on or off that requests and answers of a key are logged, and removes what was. */
export function LoggingDialog({
  apiKey,
  onClose,
  onChanged,
}: {
  apiKey: OwnKey;
  onClose: () => void;
  onChanged: () => void;
}) {
  const { contentLog } = useSession().me.features;
  const [wanted, setWanted] = useState<'on' | 'off'>(apiKey.logContent ? 'on' : 'off');
  const [removing, setRemoving] = useState(false);
  const { run, busy, problem } = useAction(async () => {
    await switchLogging(apiKey.id, wanted === 'on');
    onChanged();
    onClose();
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Logging of "${apiKey.name}"`}
      description="Whether the gateway keeps what is asked with this key, and what is answered."
    >
      <Choice
        label="Requests and answers"
        options={[
          ['off', 'Keep nothing'],
          ['on', 'Log them'],
        ]}
        value={wanted}
        onChange={setWanted}
      />
      <Note tone={contentLog ? 'info' : 'warn'}>{loggingText(contentLog)}</Note>
      {problem && <Note tone="bad">{problem}</Note>}
      <DialogActions>
        <Button icon="trash" onClick={() => setRemoving(true)}>
          Remove what was logged
        </Button>
        <Button tone="primary" busy={busy} onClick={() => void run()}>
          Save
        </Button>
      </DialogActions>
      <ConfirmDialog
        open={removing}
        onClose={() => setRemoving(false)}
        title={`Remove all that was logged of "${apiKey.name}"?`}
        action="Remove it for good"
        onConfirm={() => removeContentOf(apiKey.id)}
      >
        The text of its requests and answers is gone then. What was used stays in the reports.
      </ConfirmDialog>
    </Dialog>
  );
}
