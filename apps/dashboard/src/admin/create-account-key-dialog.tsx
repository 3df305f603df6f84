import { z } from 'zod/mini';
import { createAccountKey } from '../api/admin';
import type { AdminKey } from '../api/admin';
import { useAction } from '../api/use-action';
import { useOnce } from '../api/use-once';
import { TextField } from '../design/field';
import { FormDialog, sending } from '../design/form-dialog';
import { useZodForm } from '../design/use-zod-form';

const shape = z.object({
  name: z
    .string()
    .check(z.trim(), z.minLength(1, 'Give the key a name.'), z.maxLength(100, 'Use at most 100 characters.')),
});

/** Its limits are those of the plan; they can be changed afterwards. */
export function CreateAccountKeyDialog({
  accountId,
  onClose,
  onMade,
}: {
  accountId: string;
  onClose: () => void;
  onMade: (made: { apiKey: string; key: AdminKey }) => void;
}) {
  const once = useOnce();
  const form = useZodForm(shape, { name: '' });
  const action = useAction(async ({ name }: z.infer<typeof shape>) =>
    onMade(await createAccountKey({ accountId, name }, once)),
  );
  return (
    <FormDialog
      title="Create a key for this account"
      description="Its limits are those of the plan."
      act="Create the key"
      {...sending(form, action)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        autoComplete="off"
        error={form.formState.errors.name?.message}
        {...form.register('name')}
      />
    </FormDialog>
  );
}
