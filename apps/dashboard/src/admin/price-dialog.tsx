import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchPrice, setPrice, type PriceOutcome, type PriceWish, type ToldPrice } from '../api/prices';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { Dialog, DialogActions } from '../design/dialog';
import { TextField } from '../design/field';
import { Note } from '../design/note';
import { Loaded } from '../design/states';
import { useZodForm } from '../design/use-zod-form';
import { formatDateTime } from '../format/time';
import styles from './admin.module.css';
import { otherRates, priceFields, priceFieldsOf, priceWishOf, whenAndWhy } from './price-fields';

interface Around {
  onClose: () => void;
  onDone: () => Promise<unknown>;
}

/**
 * Sets what a model costs from an instant on, once it was shown what that changes. `model` null: one that is
 * typed. `isRemoval`: what it would cost had nobody set anything.
 */
export function PriceDialog({ model, isRemoval, ...around }: { model: string | null; isRemoval: boolean } & Around) {
  const before = useQuery({
    queryKey: ['price of', model],
    queryFn: () => (model === null ? null : fetchPrice(model)),
    gcTime: 0,
    enabled: !isRemoval,
  });
  return (
    <Dialog
      open
      onClose={around.onClose}
      title={isRemoval ? `Remove the price of ${model}?` : model === null ? 'Set a price' : `Another price of ${model}`}
      description="Dollars per million tokens. Nothing is written before you have seen what changes."
    >
      {isRemoval && model !== null ? (
        <RemovalForm model={model} {...around} />
      ) : (
        <Loaded query={before} lines={6}>
          {(told) => <PriceForm model={model} before={told} {...around} />}
        </Loaded>
      )}
    </Dialog>
  );
}

const whenHint = 'Five minutes from now at the earliest. Empty: in ten minutes, or at once where no price is known.';

function PriceForm({ model, before, ...around }: { model: string | null; before: ToldPrice | null } & Around) {
  const [wish, setWish] = useState<PriceWish | null>(null);
  // What is typed is not made from what is looked up again meanwhile.
  const [sheet] = useState(before?.prices ?? null);
  const form = useZodForm(priceFields, priceFieldsOf(model ?? '', sheet));
  const { errors } = form.formState;
  if (wish) return <Preview wish={wish} onBack={() => setWish(null)} {...around} />;
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => void form.handleSubmit((fields) => setWish(priceWishOf(fields, sheet)))(event)}
    >
      {model === null && (
        <TextField
          label="Model"
          hint="Its id, such as openai/gpt-5.4."
          error={errors.model?.message}
          {...form.register('model')}
        />
      )}
      <TextField label="Input" inputMode="decimal" error={errors.input?.message} {...form.register('input')} />
      <TextField label="Output" inputMode="decimal" error={errors.output?.message} {...form.register('output')} />
      {otherRates.map(([name, label]) => (
        <TextField
          key={name}
          label={label}
          optional
          inputMode="decimal"
          error={errors[name]?.message}
          {...form.register(name)}
        />
      ))}
      {sheet !== null && sheet.longContext.length > 0 && (
        <Note>The steps for long inputs stay as they are: the tollgate command sets them, too.</Note>
      )}
      <TextField label="From" type="datetime-local" optional hint={whenHint} {...form.register('from')} />
      <TextField label="Reason" optional hint="For the history." maxLength={300} {...form.register('reason')} />
      <FormActions onClose={around.onClose} />
    </form>
  );
}

function RemovalForm({ model, ...around }: { model: string } & Around) {
  const [from, setFrom] = useState('');
  const [wish, setWish] = useState<PriceWish | null>(null);
  if (wish) return <Preview wish={wish} onBack={() => setWish(null)} {...around} />;
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        setWish({ model, prices: null, ...whenAndWhy({ from, reason: '' }) });
      }}
    >
      <p>From then on it costs again what the release, or an import, says.</p>
      <TextField
        label="From"
        type="datetime-local"
        optional
        hint={whenHint}
        value={from}
        onChange={(event) => setFrom(event.target.value)}
      />
      <FormActions onClose={around.onClose} />
    </form>
  );
}

function FormActions({ onClose }: Pick<Around, 'onClose'>) {
  return (
    <DialogActions>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" tone="primary">
        Show what changes
      </Button>
    </DialogActions>
  );
}

/** What a wish changes, as the gateway says before anything is written, and the way to have it done. */
function Preview({ wish, onBack, onClose, onDone }: { wish: PriceWish; onBack: () => void } & Around) {
  const outcome = useQuery({
    queryKey: ['price that is looked at', wish],
    queryFn: () => setPrice({ ...wish, dryRun: true }),
    gcTime: 0,
    retry: false,
  });
  const { run, busy, problem } = useAction(async () => {
    await setPrice(wish);
    await onDone();
    onClose();
  });
  return (
    <div className={styles.form}>
      <Loaded query={outcome} lines={4}>
        {(told) => <Changes model={wish.model} outcome={told} />}
      </Loaded>
      {problem && <Note tone="bad">{problem}</Note>}
      <DialogActions>
        <Button onClick={onBack}>Back</Button>
        <Button tone="primary" busy={busy} disabled={!outcome.isSuccess} onClick={() => void run()}>
          {wish.prices === null ? 'Remove the price' : 'Set the price'}
        </Button>
      </DialogActions>
    </div>
  );
}

function Changes({ model, outcome: { from, isKnown, changes } }: { model: string; outcome: PriceOutcome }) {
  return (
    <>
      <p>
        From {formatDateTime(from)} on, <strong className="break">{model}</strong> costs:
      </p>
      {changes.length === 0 ? (
        <p>the same as before.</p>
      ) : (
        <ul className={styles.changes} aria-label="What changes">
          {changes.map(({ rate, before, after }) => (
            <li key={rate}>
              {rate}: {before ?? 'none'} → {after ?? 'none'}
            </li>
          ))}
        </ul>
      )}
      {!isKnown && (
        <Note tone="warn">The catalog has no model of this id now: this is the price of one that is to come.</Note>
      )}
    </>
  );
}
