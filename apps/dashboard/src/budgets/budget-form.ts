import { decimalFromNanoUsd } from '@tollgate/contracts';
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form';
import { z } from 'zod/mini';
import { ApiError } from '../api/api-error';

/** Dollars as the gateway takes them, exact to the nano-dollar: they stay a text, and are never a float. */
const dollars = z.string().check(
  z.trim(),
  z.overwrite((typed) => typed.replace(/^\$\s*/, '')),
  z.regex(/^\d{1,9}(\.\d{1,9})?$/, 'Write US dollars with a point, such as 25 or 0.50.'),
);

export const nameAndLimit = {
  name: z
    .string()
    .check(z.trim(), z.minLength(1, 'Give the budget a name.'), z.maxLength(100, 'Use at most 100 characters.')),
  limitUsd: dollars,
};

/** A limit in nano-dollars as it is typed: every digit, and none that says nothing. */
export const typedDollars = (nanoUsd: string): string => decimalFromNanoUsd(BigInt(nanoUsd));

/**
 * Shows a refusal at the field that it begins with, as in `limitUsd: must be …`. `names`: what fields are
 * called by the gateway that have another name here.
 * @throws ApiError what names no field of the form.
 */
export async function withRefusalsAtFields<Values extends FieldValues>(
  form: Pick<UseFormReturn<Values>, 'setError'>,
  fields: readonly Path<Values>[],
  names: Readonly<Record<string, Path<Values>>>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const refused = error instanceof ApiError ? refusedField(error.message) : null;
    const field = refused && (names[refused.name] ?? fields.find((one) => one === refused.name));
    if (!refused || !field) throw error;
    form.setError(field, { message: refused.message }, { shouldFocus: true });
  }
}

/** The field that a refusal begins with, and what is wrong with it; null: it names none. */
export function refusedField(refusal: string): { name: string; message: string } | null {
  const [, name, message = ''] = /^([a-z]\w*(?:\.\w+)*): (.+)$/is.exec(refusal) ?? [];
  return name === undefined ? null : { name, message: message.charAt(0).toUpperCase() + message.slice(1) };
}
