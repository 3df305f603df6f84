import { useState } from 'react';
import { rotateKey } from '../api/keys';
import type { NewKey, OwnKey } from '../api/keys';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { Dialog, DialogActions } from '../design/dialog';
import { SelectField } from '../design/field';
import { Note } from '../design/note';
import { overlaps } from './expiry';

export function RotateKeyDialog({
  apiKey,
  onClose,
  onMade,
}: {
  apiKey: OwnKey;
  onClose: () => void;
  onMade: (made: NewKey) => void;
}) {
  const [overlapS, setOverlapS] = useState(3_600);
  const { run, busy, problem } = useAction(async () => onMade(await rotateKey(apiKey.id, overlapS)));
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
