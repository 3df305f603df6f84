import { useState, type FormEvent } from 'react';
import { renamePasskey, type Passkey } from '../api/passkeys';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { Dialog, DialogActions } from '../design/dialog';
import { TextField } from '../design/field';
import { Note } from '../design/note';
import { longestName } from './add-passkey-dialog';
import styles from './settings.module.css';

/** Gives a passkey another name. */
export function RenamePasskeyDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const [name, setName] = useState(passkey.name);
  const { run, busy, problem } = useAction(async () => {
    await renamePasskey(passkey.id, name.trim());
    onClose();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Rename the passkey ${passkey.name}`}
      description="Here alone: your device goes on showing it by its own."
    >
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label="Name"
          required
          maxLength={longestName}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        {problem && <Note tone="bad">{problem}</Note>}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" busy={busy}>
            Rename
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
