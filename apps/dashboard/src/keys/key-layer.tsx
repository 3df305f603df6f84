import { useState } from 'react';
import { removeContentOf } from '../api/content-log';
import { rotateKey, switchLogging } from '../api/keys';
import type { NewKey, OwnKey } from '../api/keys';
import { useAction } from '../api/use-action';
import { useOnce } from '../api/use-once';
import { Button } from '../design/button';
import { Choice } from '../design/choice';
import { ConfirmDialog } from '../design/confirm-dialog';
import { Dialog, DialogActions } from '../design/dialog';
import { SelectField } from '../design/field';
import { Note } from '../design/note';
import { useSession } from '../session/session';
import { CreateKeyDialog } from './create-key-dialog';
import { overlaps } from './expiry';
import { loggingText } from './logging-text';
import { NewKeyDialog } from './new-key-dialog';
import { RenameKeyDialog } from './rename-key-dialog';
import { RevokeKeyDialog } from './revoke-key-dialog';

/** What lies above a page of keys, if anything. */
export type Layer =
  | { kind: 'create' }
  | { kind: 'rename' | 'rotate' | 'revoke' | 'logging'; key: OwnKey }
  | { kind: 'made'; made: NewKey }
  | null;

/** The dialog that is open. `onChanged`: something is other than before, or may be, as no answer came. */
export function KeyLayer({
  layer,
  onLayer,
  onChanged,
}: {
  layer: Layer;
  onLayer: (layer: Layer) => void;
  onChanged: () => void;
}) {
  const close = () => {
    onLayer(null);
    onChanged();
  };
  const showMade = (made: NewKey) => {
    onLayer({ kind: 'made', made });
    onChanged();
  };
  switch (layer?.kind) {
    case 'create':
      return <CreateKeyDialog onClose={close} onMade={showMade} />;
    case 'rename':
      return <RenameKeyDialog apiKey={layer.key} onClose={close} onRenamed={onChanged} />;
    case 'rotate':
      return <RotateKeyDialog apiKey={layer.key} onClose={close} onMade={showMade} />;
    case 'revoke':
      return <RevokeKeyDialog apiKey={layer.key} onClose={close} onRevoked={onChanged} />;
    case 'logging':
      return <LoggingDialog apiKey={layer.key} onClose={close} onChanged={onChanged} />;
    case 'made':
      return <NewKeyDialog made={layer.made} onClose={close} />;
    default:
      return null;
  }
}

function RotateKeyDialog({
  apiKey,
  onClose,
  onMade,
}: {
  apiKey: OwnKey;
  onClose: () => void;
  onMade: (made: NewKey) => void;
}) {
  const once = useOnce();
  const [overlapS, setOverlapS] = useState(3_600);
  const { run, busy, problem } = useAction(async () => onMade(await rotateKey(apiKey.id, overlapS, once)));
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Rotate "${apiKey.name}"`}
      description="A new key with the same settings takes its place."
    >
      <SelectField
        label="The old key goes on"
        hint="Long enough to change it wherever it is used."
        value={overlapS}
        onChange={(event) => setOverlapS(Number(event.target.value))}
      >
        {overlaps.map(({ seconds, name }) => (
          <option key={seconds} value={seconds}>
            {name}
          </option>
        ))}
      </SelectField>
      {problem && <Note tone="bad">{problem}</Note>}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="primary" busy={busy} onClick={() => void run()}>
          Rotate the key
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** Switches on or off that requests and answers of a key are logged, and removes what was. */
function LoggingDialog({ apiKey, onClose, onChanged }: { apiKey: OwnKey; onClose: () => void; onChanged: () => void }) {
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
