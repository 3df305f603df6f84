import { useState } from 'react';
import type { ComponentProps } from 'react';
import { useAction } from '../api/use-action';
import { TextField } from './field';
import { FormDialog } from './form-dialog';

/** Gives a thing another name, of at most `longest` letters: `rename` gets it without space around. */
export function RenameDialog({
  name: before,
  longest,
  rename,
  onClose,
  ...told
}: Pick<ComponentProps<typeof FormDialog>, 'title' | 'description' | 'onClose'> & {
  name: string;
  longest: number;
  rename: (name: string) => Promise<unknown>;
}) {
  const [name, setName] = useState(before);
  const action = useAction(async () => {
    await rename(name.trim());
    onClose();
  });
  return (
    <FormDialog
      {...told}
      act="Rename"
      action={action}
      disabled={name.trim() === ''}
      onSubmit={action.run}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        maxLength={longest}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}
