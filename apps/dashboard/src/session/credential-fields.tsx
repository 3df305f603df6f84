import type { ComponentProps } from 'react';
import { TextField } from '../design/field';

type Field = Omit<ComponentProps<typeof TextField>, 'label' | 'type' | 'autoComplete' | 'hint'>;

/** The address that somebody signs in with. */
export function EmailField(field: Field) {
  return <TextField label="Email" type="email" autoComplete="username" {...field} />;
}

/** A password that somebody chooses; the rules are those of `password`. */
export function NewPasswordField({ label = 'Password', ...field }: Field & { label?: string }) {
  return (
    <TextField label={label} type="password" autoComplete="new-password" hint="12 characters or more." {...field} />
  );
}
