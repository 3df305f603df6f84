import { useState, type FormEvent } from 'react';
import { giveOwnKey, type OwnKeys } from '../api/own-keys';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { Dialog, DialogActions } from '../design/dialog';
import { SelectField, TextField } from '../design/field';
import { Note } from '../design/note';
import styles from './settings.module.css';

/** Takes a key of one of these providers, in the place of the one before. */
export function GiveOwnKeyDialog({
  providers,
  isNew,
  onClose,
  onGiven,
}: {
  providers: OwnKeys['providers'];
  isNew: boolean;
  onClose: () => void;
  onGiven: () => Promise<unknown>;
}) {
  const [provider, setProvider] = useState(providers[0]?.id ?? '');
  const [key, setKey] = useState('');
  const baseUrl = providers.find(({ id }) => id === provider)?.baseUrl ?? '';
  const { run, busy, problem } = useAction(async () => {
    await giveOwnKey(provider, key.trim(), baseUrl);
    await onGiven();
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
      title={isNew ? 'Bring a key of a provider' : `Replace your key of ${provider}`}
      description={`It is sealed for ${baseUrl}, and nobody is shown it again. Requests go with it within a second.`}
    >
      <form className={styles.form} onSubmit={submit}>
        {isNew && (
          <SelectField label="Provider" value={provider} onChange={(event) => setProvider(event.target.value)}>
            {providers.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        )}
        <TextField
          label="Key"
          required
          type="password"
          autoComplete="new-password"
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
        {problem && <Note tone="bad">{problem}</Note>}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {isNew ? 'Bring' : 'Replace'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
