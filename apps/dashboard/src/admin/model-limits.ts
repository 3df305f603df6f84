import type { KeySummary } from '@tollgate/contracts/accounts';
import { z } from 'zod/mini';

type ModelLimit = KeySummary['modelLimits'][number];

/** A pattern is all that stands before the first limit. */
const form = /^(\S.*?)((?:\s+(?:rpm|tpm)=\d+)+)$/;

/** Limits of models as a form holds them: a line each, `openai/* rpm=60 tpm=100000`. */
export const modelLimitsField = z
  .string()
  .check(
    z.refine(
      (text) => modelLimitsFrom(text) !== null,
      'Write one line for each pattern, with rpm=… and tpm=…, or one of them.',
    ),
  );

export function modelLimitsText(limits: readonly ModelLimit[]): string {
  return limits
    .map(({ model, rpm, tpm }) => [model, rpm === null ? '' : `rpm=${rpm}`, tpm === null ? '' : `tpm=${tpm}`])
    .map((parts) => parts.filter(Boolean).join(' '))
    .join('\n');
}

/** Null: a line says something else. */
export function modelLimitsFrom(text: string): ModelLimit[] | null {
  const lines = text.split('\n').map((line) => line.trim());
  const limits = lines.filter(Boolean).map(modelLimitFrom);
  if (!limits.every((limit) => limit !== null)) return null;
  return new Set(limits.map(({ model }) => model)).size === limits.length ? limits : null;
}

function modelLimitFrom(line: string): ModelLimit | null {
  const [, model, limits] = form.exec(line) ?? [];
  if (model === undefined || limits === undefined) return null;
  const [rpm, tpm] = ['rpm', 'tpm'].map((name) => new RegExp(`${name}=(\\d+)`).exec(limits)?.[1]);
  const limit = { model, rpm: numberOf(rpm), tpm: numberOf(tpm) };
  return [limit.rpm, limit.tpm].every((value) => value === null || Number.isSafeInteger(value)) ? limit : null;
}

const numberOf = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits));
