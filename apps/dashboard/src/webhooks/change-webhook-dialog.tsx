import type { Webhook } from '@tollgate/contracts';
import { useAction } from '../api/use-action';
import { changeWebhook } from '../api/webhooks';
import { withRefusalsAtFields } from '../budgets/budget-form';
import { Button } from '../design/button';
import { Dialog, DialogActions } from '../design/dialog';
import { TextField } from '../design/field';
import { Note } from '../design/note';
import { useZodForm } from '../design/use-zod-form';
import { AlertFields } from './alert-fields';
import { changedWebhookShape, fromWebhook, toWebhookChange } from './new-webhook';
import type { ChangedWebhookValues } from './new-webhook';
import styles from './webhooks.module.css';

interface Change {
  webhook: Webhook;
  onClose: () => void;
  onChanged: () => Promise<unknown>;
}

/** Asks for another name, or other alerts. Where they go stays: that is another webhook. */
export function ChangeWebhookDialog({ webhook, onClose, onChanged }: Change) {
  const form = useZodForm(changedWebhookShape, fromWebhook(webhook));
  const { errors } = form.formState;
  const { run, busy, problem } = useAction((values: ChangedWebhookValues) =>
    withRefusalsAtFields(form, ['name'], {}, async () => {
      await changeWebhook(webhook.id, toWebhookChange(values));
      await onChanged();
      onClose();
    }),
  );
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Change the webhook "${webhook.name}"`}
      description={`Alerts go to ${webhook.host} as before. To send them elsewhere, add another webhook.`}
    >
      <form className={styles.form} noValidate onSubmit={(event) => void form.handleSubmit(run)(event)}>
        <TextField label="Name" autoComplete="off" error={errors.name?.message} {...form.register('name')} />
        <AlertFields
          which={form.register('which')}
          kinds={form.register('kinds')}
          isSome={form.watch('which') === 'some'}
          error={errors.kinds?.message}
        />
        {problem && <Note tone="bad">{problem}</Note>}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" busy={busy}>
            Change the webhook
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
