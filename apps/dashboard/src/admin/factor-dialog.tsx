import { useState } from 'react';
import { setFactors, type ToldFactors } from '../api/prices';
import { useAction } from '../api/use-action';
import { TextField } from '../design/field';
import { FormDialog } from '../design/form-dialog';
import { Note } from '../design/note';
import { factorDoubts, whenAndWhy } from './price-fields';
import { factorsText } from './price-text';

/** Sets what a deployment costs beside its model from an instant on. `told` null: one that is typed. */
export function FactorDialog({
  told,
  onClose,
  onDone,
}: {
  told: ToldFactors | null;
  onClose: () => void;
  onDone: () => Promise<unknown>;
}) {
  const { discount = '', markup = '' } = told?.factors ?? {};
  const [typed, setTyped] = useState({ deployment: told?.deployment ?? '', discount, markup, from: '', reason: '' });
  const [doubts, setDoubts] = useState<readonly string[]>([]);
  const action = useAction(async () => {
    const off = typed.discount.trim();
    const top = typed.markup.trim();
    const deployment = typed.deployment.trim();
    const factors = { ...(off !== '' && { discount: off }), ...(top !== '' && { markup: top }) };
    const wish = { deployment, factors, ...whenAndWhy(typed) };
    const { isKnown } = await setFactors({ ...wish, dryRun: true });
    const found = factorDoubts(deployment, factors, isKnown);
    setDoubts(found);
    // Whoever was told of all of them means it.
    if (found.some((doubt) => !doubts.includes(doubt))) return;
    await setFactors(wish);
    await onDone();
    onClose();
  });
  const field = (name: keyof typeof typed) => ({
    value: typed[name],
    onChange: (event: { target: { value: string } }) => setTyped({ ...typed, [name]: event.target.value }),
  });
  return (
    <FormDialog
      title={told ? `Another discount or markup of ${told.deployment}` : 'Set a discount or markup'}
      description={
        told
          ? `Now: ${factorsText(told.factors)}. Both are set anew: what is empty it has none of.`
          : 'What started before its instant keeps its own.'
      }
      act={doubts.length > 0 ? 'Set it all the same' : 'Set it'}
      action={action}
      onClose={onClose}
    >
      {told === null && (
        <TextField
          label="Deployment"
          required
          hint="Its id, as the page Deployments shows it, such as openai:gpt-5.4."
          {...field('deployment')}
        />
      )}
      <TextField
        label="Discount"
        optional
        inputMode="decimal"
        hint="What your contract takes off each charge, a fraction: 0.15 for 15 %."
        {...field('discount')}
      />
      <TextField
        label="Markup"
        optional
        inputMode="decimal"
        hint="What comes on top of what is left: 0.2 for 20 %."
        {...field('markup')}
      />
      <TextField
        label="From"
        type="datetime-local"
        optional
        hint="Five minutes from now at the earliest. Empty: in ten minutes."
        {...field('from')}
      />
      <TextField label="Reason" optional hint="For the history." maxLength={300} {...field('reason')} />
      {doubts.length > 0 && (
        <Note tone="warn" title="Nothing is set yet">
          {doubts.join(' ')}
        </Note>
      )}
    </FormDialog>
  );
}
