import { webhookForm } from '@tollgate/contracts/accounts';
import { useAction } from '../api/use-action';
import { useOnce } from '../api/use-once';
import { createWebhook } from '../api/webhooks';
import type { MadeWebhook } from '../api/webhooks';
import { withRefusalsAtFields } from '../budgets/budget-form';
import { SelectField, TextField } from '../design/field';
import { FormDialog, sending } from '../design/form-dialog';
import { useZodForm } from '../design/use-zod-form';
import { AlertFields } from './alert-fields';
import { emptyWebhook, newWebhookShape, toNewWebhook } from './new-webhook';
import type { NewWebhookValues } from './new-webhook';
import { forms } from './webhook-words';

/** Asks where alerts go, as what, and which of them. */
export function CreateWebhookDialog({ onClose, onMade }: { onClose: () => void; onMade: (made: MadeWebhook) => void }) {
  const once = useOnce();
  const form = useZodForm(newWebhookShape, emptyWebhook);
  const shown = forms[form.watch('form')];
  const { errors } = form.formState;
  const action = useAction((values: NewWebhookValues) =>
    withRefusalsAtFields(form, ['name', 'url'], {}, async () =>
      onMade(await createWebhook(toNewWebhook(values), once)),
    ),
  );
  return (
    <FormDialog
      title="Add a webhook"
      description="Alerts go there from now on."
      act="Add the webhook"
      {...sending(form, action)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        placeholder="On call"
        autoComplete="off"
        error={errors.name?.message}
        {...form.register('name')}
      />
      <SelectField label="What is sent" hint={shown.hint} {...form.register('form')}>
        {webhookForm.options.map((option) => (
          <option key={option} value={option}>
            {forms[option].name}
          </option>
        ))}
      </SelectField>
      <TextField
        label={shown.address}
        placeholder={shown.placeholder}
        autoComplete="off"
        inputMode={form.watch('form') === 'mail' ? 'email' : 'url'}
        error={errors.url?.message}
        {...form.register('url')}
      />
      <AlertFields
        which={form.register('which')}
        kinds={form.register('kinds')}
        isSome={form.watch('which') === 'some'}
        error={errors.kinds?.message}
      />
    </FormDialog>
  );
}
