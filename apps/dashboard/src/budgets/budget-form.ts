import { decimalFromNanoUsd } from '@tollgate/contracts';
import type { BudgetUnit } from '@tollgate/contracts/metering';
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form';
import { z } from 'zod/mini';
import { ApiError } from '../api/api-error';

/** What a budget is counted in, as the dialog offers it. */
export const units = { usd: 'US dollars', tokens: 'Tokens' } as const satisfies Record<BudgetUnit, string>;

/** What is right of a limit that is typed, and what is said of another one. */
const limits: Record<BudgetUnit, { label: string; isRight: (typed: string) => boolean; otherwise: string }> = {
  usd: {
    label: 'Limit, US dollars',
    isRight: (typed) => /^\d{1,9}(\.\d{1,9})?$/.test(withoutSign(typed)),
    otherwise: 'Write US dollars with a point, such as 25 or 0.50.',
  },
  tokens: {
    label: 'Limit, tokens',
    isRight: (typed) => /^\d+$/.test(typed) && Number.isSafeInteger(Number(typed)),
    otherwise: 'Write a whole number of tokens, such as 1000000.',
  },
};
const withoutSign = (typed: string): string => typed.replace(/^\$\s*/, '');

export const limitLabel = (unit: BudgetUnit): string => limits[unit].label;

interface TypedLimit {
  unit: BudgetUnit;
  limit: string;
}

/** Says at the limit what is wrong with it, which its unit decides. */
export const checkLimit = z.check<TypedLimit>(({ value, issues }) => {
  const { isRight, otherwise } = limits[value.unit];
  if (!isRight(value.limit)) issues.push({ code: 'custom', path: ['limit'], message: otherwise, input: value.limit });
});

/** The limit as the gateway takes it. Dollars stay a text, exact to the nano-dollar, and are never a float. */
export const limitFrom = ({ unit, limit }: TypedLimit): { limitUsd: string } | { limitTokens: number } =>
  unit === 'usd' ? { limitUsd: withoutSign(limit) } : { limitTokens: Number(limit) };

/** How the gateway calls the limit. */
export const limitRefusals = { limitUsd: 'limit', limitTokens: 'limit' } as const;

export const nameAndLimit = {
  name: z
    .string()
    .check(z.trim(), z.minLength(1, 'Give the budget a name.'), z.maxLength(100, 'Use at most 100 characters.')),
  unit: z.enum(['usd', 'tokens']),
  limit: z.string().check(z.trim()),
};

/** A limit as it is typed: every digit, and none that says nothing. */
export const typedLimit = (unit: BudgetUnit, amount: string): string =>
  unit === 'usd' ? decimalFromNanoUsd(BigInt(amount)) : amount;

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
