import type { ComponentProps } from 'react';
import { z } from 'zod/mini';
import { TextField } from '../design/field';

/** As the gateway checks them again. */
export const password = z
  .string()
  .check(z.minLength(12, 'Use at least 12 characters.'), z.maxLength(200, 'Use at most 200 characters.'));
export const email = z
  .string()
  .check(z.maxLength(200, 'This address is too long.'), z.email('Enter an email address, such as ada@example.org.'));
export const personName = z
  .string()
  .check(z.trim(), z.minLength(1, 'Tell us your name.'), z.maxLength(200, 'Use at most 200 characters.'));

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
