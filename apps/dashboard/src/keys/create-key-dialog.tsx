import { useState } from 'react';
import { z } from 'zod/mini';
import { createKey } from '../api/keys';
import type { NewKey } from '../api/keys';
import { useAction } from '../api/use-action';
import { useOnce } from '../api/use-once';
import { Checkbox, SelectField, TextArea, TextField } from '../design/field';
import { FormDialog, sending } from '../design/form-dialog';
import { useZodForm } from '../design/use-zod-form';
import { useMay } from '../session/session';
import { expiries, expiresAtOf } from './expiry';
import { modelsFrom } from './models-from';

const shape = z.object({
  name: z
    .string()
    .check(z.trim(), z.minLength(1, 'Give the key a name.'), z.maxLength(100, 'Use at most 100 characters.')),
  expiry: z.string(),
  models: z.string(),
  forMachine: z.boolean(),
});

export function CreateKeyDialog({ onClose, onMade }: { onClose: () => void; onMade: (made: NewKey) => void }) {
  const form = useZodForm(shape, { name: '', expiry: 'never', models: '', forMachine: false });
  const once = useOnce();
  // What is sent again is the same.
  const [openedAt] = useState(Date.now);
  const mayForMachine = useMay('keys:all');
  const action = useAction(async ({ name, expiry, models, forMachine }: z.infer<typeof shape>) =>
    onMade(
      await createKey({ name, expiresAt: expiresAtOf(expiry, openedAt), models: modelsFrom(models), forMachine }, once),
    ),
  );
  const { errors } = form.formState;
  return (
    <FormDialog
      title="Create a key"
      description="The key is shown once, right after this."
      act="Create the key"
      {...sending(form, action)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        placeholder="Nightly summaries"
        autoComplete="off"
        error={errors.name?.message}
        {...form.register('name')}
      />
      <SelectField label="Expires" {...form.register('expiry')}>
        {expiries.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextArea
        label="Allowed models"
        optional
        code
        rows={2}
        placeholder="openai/*, anthropic/claude-sonnet-5"
        hint="Ids separated by commas; * stands for anything. Empty allows every model."
        {...form.register('models')}
      />
      {mayForMachine && (
        <Checkbox label="For a machine: it goes on when you leave the account" {...form.register('forMachine')} />
      )}
    </FormDialog>
  );
}
