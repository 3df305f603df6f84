import { useState } from 'react';
import { renamePasskey, type Passkey } from '../api/passkeys';
import { useAction } from '../api/use-action';
import { TextField } from '../design/field';
import { FormDialog } from '../design/form-dialog';
import { longestName } from './add-passkey-dialog';

/** Gives a passkey another name. */
export function RenamePasskeyDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const [name, setName] = useState(passkey.name);
  const action = useAction(async () => {
    await renamePasskey(passkey.id, name.trim());
    onClose();
  });
  return (
    <FormDialog
      title={`Rename the passkey ${passkey.name}`}
      description="Here alone: your device goes on showing it by its own."
      act="Rename"
      action={action}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        maxLength={longestName}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}
