import type { Webhook } from '@tollgate/contracts/accounts';
import { useAction } from '../api/use-action';
import { changeWebhook } from '../api/webhooks';
import { withRefusalsAtFields } from '../budgets/budget-form';
import { TextField } from '../design/field';
import { FormDialog, sending } from '../design/form-dialog';
import { useZodForm } from '../design/use-zod-form';
import { AlertFields } from './alert-fields';
import { changedWebhookShape, fromWebhook, toWebhookChange } from './new-webhook';
import type { ChangedWebhookValues } from './new-webhook';

interface Change {
  webhook: Webhook;
  onClose: () => void;
  onChanged: () => Promise<unknown>;
}

/** Asks for another name, or other alerts. Where they go stays: that is another webhook. */
export function ChangeWebhookDialog({ webhook, onClose, onChanged }: Change) {
  const form = useZodForm(changedWebhookShape, fromWebhook(webhook));
  const { errors } = form.formState;
  const action = useAction((values: ChangedWebhookValues) =>
    withRefusalsAtFields(form, ['name'], {}, async () => {
      await changeWebhook(webhook.id, toWebhookChange(values));
      await onChanged();
      onClose();
    }),
  );
  return (
    <FormDialog
      title={`Change the webhook "${webhook.name}"`}
      description={`Alerts go to ${webhook.host} as before. To send them elsewhere, add another webhook.`}
      act="Change the webhook"
      {...sending(form, action)}
      onClose={onClose}
    >
      <TextField label="Name" autoComplete="off" error={errors.name?.message} {...form.register('name')} />
      <AlertFields
        which={form.register('which')}
        kinds={form.register('kinds')}
        isSome={form.watch('which') === 'some'}
        error={errors.kinds?.message}
      />
    </FormDialog>
  );
}
