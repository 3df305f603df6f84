import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { AdminModel } from '../api/admin';
import { fetchSetModels, setModel, type StatedModel } from '../api/set-models';
import { useAction } from '../api/use-action';
import { Dialog } from '../design/dialog';
import { TextArea, TextField } from '../design/field';
import { DialogForm, sending } from '../design/form-dialog';
import { Loaded } from '../design/states';
import { useZodForm } from '../design/use-zod-form';
import { endOf, modelFields, modelFieldsOf, modelWishOf, type ModelFields } from './model-fields';

interface Around {
  onClose: () => void;
  onDone: () => Promise<unknown>;
}

/**
 * Sets where a model is generated, what is asked in its place, and its names and limits. `model` null: a new
 * one, whose id is none of those that are `taken`.
 */
export function ModelDialog({ model, taken, ...around }: { model: AdminModel | null; taken: string[] } & Around) {
  const settings = useQuery({ queryKey: ['models of the settings'], queryFn: fetchSetModels, gcTime: 0 });
  return (
    <Dialog
      open
      onClose={around.onClose}
      title={model ? `Change ${model.id}` : 'Add a model'}
      description={
        model ? (
          'What is not changed here stays as it is. It holds within seconds, without a restart.'
        ) : (
          <>
            Set <Link to="/admin/prices">its price</Link> first: a model without one is refused. It is offered within
            seconds, without a restart.
          </>
        )
      }
    >
      <Loaded query={settings} lines={6}>
        {({ version, models }) => (
          <ModelForm
            model={model}
            said={models.find((each) => each.model === model?.id)?.said ?? null}
            taken={[...taken, ...models.map((each) => each.model)]}
            version={version}
            {...around}
          />
        )}
      </Loaded>
    </Dialog>
  );
}

function ModelForm({
  model,
  said,
  taken,
  version,
  onClose,
  onDone,
}: { model: AdminModel | null; said: StatedModel | null; taken: string[]; version: number } & Around) {
  // What is typed is not made from what is looked up again meanwhile.
  const [before] = useState(() => ({ version, fields: modelFieldsOf(model, said), end: endOf(model, said) }));
  const form = useZodForm(modelFields(model ? [] : taken), before.fields);
  const { errors, isDirty } = form.formState;
  const action = useAction(async (typed: ModelFields) => {
    await setModel({ ...modelWishOf(typed, before.fields, before.version, before.end), mustBeNew: model === null });
    await onDone();
    onClose();
  });
  return (
    <DialogForm
      act={model ? 'Save the model' : 'Add the model'}
      disabled={!isDirty}
      {...sending(form, action)}
      onClose={onClose}
    >
      {model === null && (
        <TextField
          label="Id"
          hint="What callers name it by, such as acme/small."
          error={errors.model?.message}
          {...form.register('model')}
        />
      )}
      <TextField label="Name" optional={model === null} maxLength={100} {...form.register('name')} />
      <TextArea
        label="Deployments"
        code
        rows={3}
        hint="A line for each place, such as azure/my-name priority=1 weight=3 at-once=20. A lower priority is asked first."
        error={errors.deployments?.message}
        {...form.register('deployments')}
      />
      <TextArea
        label="Fallbacks"
        optional
        code
        rows={2}
        hint="Ids of models that are asked in its place, in this order, a line each."
        {...form.register('fallbacks')}
      />
      <TextArea
        label="Aliases"
        optional
        code
        rows={2}
        hint="Its other names, a line each."
        {...form.register('aliases')}
      />
      <TextField
        label="Context window, tokens"
        optional
        inputMode="numeric"
        error={errors.contextWindow?.message}
        {...form.register('contextWindow')}
      />
      <TextField
        label="Most output, tokens"
        optional
        inputMode="numeric"
        error={errors.maxOutputTokens?.message}
        {...form.register('maxOutputTokens')}
      />
      <TextField
        label="Time limits, milliseconds"
        optional
        hint="Such as connect=3000 first-byte=20000 idle=10000 total=60000. What is not named depends on the request."
        error={errors.timeouts?.message}
        {...form.register('timeouts')}
      />
      <TextField
        label="Hedge after, milliseconds"
        optional
        inputMode="numeric"
        hint="What has no content by then is also sent to the next place. Empty: never."
        error={errors.hedgeAfterMs?.message}
        {...form.register('hedgeAfterMs')}
      />
      <TextField
        label="End"
        type="date"
        optional
        hint="The first day, UTC, on which it is not served any more."
        {...form.register('end')}
      />
      <TextField label="Reason" optional hint="For the history." maxLength={300} {...form.register('reason')} />
    </DialogForm>
  );
}
