import { useId } from 'react';
import type { ComponentProps } from 'react';
import { TextField } from './field';

/** A text field that suggests some values and takes others, too. */
export function SuggestField({
  suggestions,
  ...field
}: ComponentProps<typeof TextField> & { suggestions: readonly string[] }) {
  const id = useId();
  return (
    <>
      <TextField {...field} list={id} autoComplete="off" />
      <datalist id={id}>
        {suggestions.map((suggestion) => (
          <option key={suggestion}>{suggestion}</option>
        ))}
      </datalist>
    </>
  );
}
