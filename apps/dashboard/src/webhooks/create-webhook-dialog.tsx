import { webhookForm } from '@tollgate/contracts';
import { useAction } from '../api/use-action';
import { createWebhook } from '../api/webhooks';
import type { MadeWebhook } from '../api/webhooks';
import { withRefusalsAtFields } from '../budgets/budget-form';
import { Button } from '../design/button';
import { Dialog, DialogActions } from '../design/dialog';
import { SelectField, TextField } from '../design/field';
import { Note } from '../design/note';
import { useZodForm } from '../design/use-zod-form';
import { AlertFields } from './alert-fields';
import { emptyWebhook, newWebhookShape, toNewWebhook } from './new-webhook';
import type { NewWebhookValues } from './new-webhook';
import { forms } from './webhook-words';
import styles from './webhooks.module.css';

/** Asks where alerts go, as what, and which of them. */
export function CreateWebhookDialog({ onClose, onMade }: { onClose: () => void; onMade: (made: MadeWebhook) => void }) {
  const form = useZodForm(newWebhookShape, emptyWebhook);
  const shown = forms[form.watch('form')];
  const { errors } = form.formState;
  const { run, busy, problem } = useAction((values: NewWebhookValues) =>
    withRefusalsAtFields(form, ['name', 'url'], {}, async () => onMade(await createWebhook(toNewWebhook(values)))),
  );
  return (
    <Dialog open onClose={onClose} title="Add a webhook" description="Alerts go there from now on.">
      <form className={styles.form} noValidate onSubmit={(event) => void form.handleSubmit(run)(event)}>
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
        {problem && <Note tone="bad">{problem}</Note>}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" busy={busy}>
            Add the webhook
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
