import { planNames } from '@tollgate/contracts';
import { z } from 'zod/mini';
import { changeKeyLimits } from '../api/admin';
import type { AdminKey } from '../api/admin';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { Dialog, DialogActions } from '../design/dialog';
import { SelectField, TextArea, TextField } from '../design/field';
import { Note } from '../design/note';
import { useZodForm } from '../design/use-zod-form';
import { loggingText } from '../keys/logging-text';
import { modelsFrom } from '../keys/models-from';
import { useSession } from '../session/session';
import styles from './admin.module.css';
import { limitFrom, limitText } from './limit-from';

const shape = z.object({
  plan: z.string(),
  rpm: limitText,
  quotaTokens: limitText,
  models: z.string(),
  logging: z.string(),
});
const textOf = (limit: number | null) => (limit === null ? '' : String(limit));

/** Only what was changed is sent, so that the rest goes on following the plan. */
export function KeyLimitsDialog({
  apiKey,
  onClose,
  onDone,
}: {
  apiKey: AdminKey;
  onClose: () => void;
  onDone: () => void;
}) {
  const { contentLog } = useSession().me.features;
  const form = useZodForm(shape, {
    plan: apiKey.plan,
    rpm: textOf(apiKey.rpm),
    quotaTokens: textOf(apiKey.quotaTokens),
    models: apiKey.models.join(', '),
    logging: apiKey.logContent ? 'on' : 'off',
  });
  const { dirtyFields, errors } = form.formState;
  const { run, busy, problem } = useAction(async (values: z.infer<typeof shape>) => {
    await changeKeyLimits(apiKey.id, {
      ...(dirtyFields.plan && { plan: values.plan }),
      ...(dirtyFields.rpm && { rpm: limitFrom(values.rpm) ?? null }),
      ...(dirtyFields.quotaTokens && { quotaTokens: limitFrom(values.quotaTokens) ?? null }),
      ...(dirtyFields.logging && { logContent: values.logging === 'on' }),
      ...(dirtyFields.models && { models: modelsFrom(values.models) }),
    });
    onDone();
    onClose();
  });
  return (
    <Dialog open onClose={onClose} title={`Limits of "${apiKey.name}"`} description="They take hold within a second.">
      <form className={styles.form} noValidate onSubmit={(event) => void form.handleSubmit(run)(event)}>
        <SelectField label="Plan" hint="Limits that are not this key's own come from it." {...form.register('plan')}>
          {[...new Set([apiKey.plan, ...planNames])].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
        <TextField
          label="Requests per minute"
          inputMode="numeric"
          hint="Empty: no limit. The word plan: what the plan says."
          error={errors.rpm?.message}
          {...form.register('rpm')}
        />
        <TextField
          label="Tokens per month"
          inputMode="numeric"
          hint="Empty: no limit. The word plan: what the plan says."
          error={errors.quotaTokens?.message}
          {...form.register('quotaTokens')}
        />
        <TextArea
          label="Allowed models"
          optional
          code
          rows={2}
          hint="Ids separated by commas; * stands for anything. Empty allows every model."
          {...form.register('models')}
        />
        <SelectField label="Requests and answers" hint={loggingText(contentLog)} {...form.register('logging')}>
          <option value="off">Keep nothing</option>
          <option value="on">Log them</option>
        </SelectField>
        {problem && <Note tone="bad">{problem}</Note>}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" busy={busy} disabled={!form.formState.isDirty}>
            Save the limits
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
