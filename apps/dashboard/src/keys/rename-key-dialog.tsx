import { useState } from 'react';
import { renameKey } from '../api/keys';
import { useAction } from '../api/use-action';
import { TextField } from '../design/field';
import { FormDialog } from '../design/form-dialog';

const longestName = 100;

/** `rename` is of the owner or of an administrator. */
export function RenameKeyDialog({
  apiKey,
  onClose,
  onRenamed,
  rename = renameKey,
}: {
  apiKey: { id: string; name: string };
  onClose: () => void;
  onRenamed: () => void;
  rename?: (id: string, name: string) => Promise<unknown>;
}) {
  const [name, setName] = useState(apiKey.name);
  const action = useAction(async () => {
    await rename(apiKey.id, name.trim());
    onRenamed();
    onClose();
  });
  return (
    <FormDialog
      title={`Rename "${apiKey.name}"`}
      description="Programs that use it go on. What it used before is told under the new name, too."
      act="Rename"
      action={action}
      disabled={name.trim() === ''}
      onSubmit={action.run}
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
