import { useState } from 'react';
import { giveKey } from '../api/live-providers';
import { useAction } from '../api/use-action';
import { SecretField, TextField } from '../design/field';
import { FormDialog } from '../design/form-dialog';

/** The name of a key where nobody says another. */
export const usualKey = 'main';

/** Takes a key of a provider, in the place of the one of its name. `named` null: the name is asked for. */
export function GiveKeyDialog({
  provider,
  baseUrl,
  named,
  onClose,
  onGiven,
}: {
  provider: string;
  /** Where it is asked; undefined: where the release says. */
  baseUrl: string | undefined;
  named: string | null;
  onClose: () => void;
  onGiven: () => Promise<unknown>;
}) {
  const [name, setName] = useState(named ?? usualKey);
  const [key, setKey] = useState('');
  const action = useAction(async () => {
    await giveKey(provider, name.trim(), key.trim(), baseUrl);
    await onGiven();
    onClose();
  });
  return (
    <FormDialog
      title={named === null ? `Give a key of ${provider}` : `Replace the key ${named} of ${provider}`}
      description={`It is sealed for ${baseUrl ?? 'this provider'}, and nobody is shown it again. Requests are sent with it within seconds.`}
      act={named === null ? 'Give' : 'Replace'}
      action={action}
      onSubmit={action.run}
      onClose={onClose}
    >
      {named === null && (
        <TextField
          label="Name"
          required
          pattern="[a-z0-9][a-z0-9\-]*"
          title="Lower-case letters, digits and dashes"
          hint="Which of its keys: one of the same name is replaced."
          autoComplete="off"
          maxLength={40}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      <SecretField label="Key" required value={key} onChange={(event) => setKey(event.target.value)} />
    </FormDialog>
  );
}
