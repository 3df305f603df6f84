import type { ComponentProps } from 'react';
import { TextField } from '../design/field';

type Field = Omit<ComponentProps<typeof TextField>, 'label' | 'type' | 'autoComplete' | 'hint'>;

/** The address that somebody signs in with; browsers may offer passkeys beside it. */
export function EmailField({ passkeys = false, ...field }: Field & { passkeys?: boolean }) {
  const autoComplete = passkeys ? 'username webauthn' : 'username';
  return <TextField label="Email" type="email" autoComplete={autoComplete} {...field} />;
}

/** A password that somebody chooses; the rules are those of `password`. */
export function NewPasswordField({ label = 'Password', ...field }: Field & { label?: string }) {
  return (
    <TextField label={label} type="password" autoComplete="new-password" hint="12 characters or more." {...field} />
  );
}
