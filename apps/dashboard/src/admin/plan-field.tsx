import type { ComponentProps } from 'react';
import { SelectField } from '../design/field';
import { usePlans } from '../api/plans';

/** A choice of the plans there are. `current` is among them even where the gateway has it no more. */
export function PlanField({
  current,
  ...select
}: { current: string } & Omit<ComponentProps<typeof SelectField>, 'label' | 'children'>) {
  const names = usePlans().map(({ name }) => name);
  return (
    <SelectField label="Plan" {...select}>
      {[...new Set([current, ...names])].map((name) => (
        <option key={name}>{name}</option>
      ))}
    </SelectField>
  );
}
