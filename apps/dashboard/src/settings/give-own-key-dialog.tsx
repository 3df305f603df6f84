import { useState } from 'react';
import { giveOwnKey, type OwnKeys } from '../api/own-keys';
import { useAction } from '../api/use-action';
import { SelectField, TextField } from '../design/field';
import { FormDialog } from '../design/form-dialog';

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
  const action = useAction(async () => {
    await giveOwnKey(provider, key.trim(), baseUrl);
    await onGiven();
    onClose();
  });
  return (
    <FormDialog
      title={isNew ? 'Bring a key of a provider' : `Replace your key of ${provider}`}
      description={`It is sealed for ${baseUrl}, and nobody is shown it again. Requests go with it within a second.`}
      act={isNew ? 'Bring' : 'Replace'}
      action={action}
      onClose={onClose}
    >
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
    </FormDialog>
  );
}
