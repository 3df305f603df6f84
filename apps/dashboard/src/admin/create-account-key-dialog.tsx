import { z } from 'zod/mini';
import { createAccountKey } from '../api/admin';
import type { AdminKey } from '../api/admin';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { Dialog, DialogActions } from '../design/dialog';
import { TextField } from '../design/field';
import { Note } from '../design/note';
import { useZodForm } from '../design/use-zod-form';
import styles from './admin.module.css';

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
  const form = useZodForm(shape, { name: '' });
  const { run, busy, problem } = useAction(async ({ name }: z.infer<typeof shape>) =>
    onMade(await createAccountKey({ accountId, name })),
  );
  return (
    <Dialog
      open
      onClose={onClose}
      title="Create a key for this account"
      description="Its limits are those of the plan."
    >
      <form className={styles.form} noValidate onSubmit={(event) => void form.handleSubmit(run)(event)}>
        <TextField
          label="Name"
          autoComplete="off"
          error={form.formState.errors.name?.message}
          {...form.register('name')}
        />
        {problem && <Note tone="bad">{problem}</Note>}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" busy={busy}>
            Create the key
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
