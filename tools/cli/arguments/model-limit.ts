import { InvalidArgumentError } from 'commander';
import type { KeySummary } from '@tollgate/contracts/accounts';

export type ModelLimit = KeySummary['modelLimits'][number];

/** A pattern may hold colons (`llama3:8b`): the last one that limits follow ends it. */
const form = /^(.+):((?:(?:rpm|tpm)=\d[\d_]*,?)+)$/;

/** Gathers limits of models, `openai/*:rpm=60,tpm=100000`, from a repeated option. */
export function gatherModelLimits(text: string, gathered: ModelLimit[] = []): ModelLimit[] {
  const [, model, limits] = form.exec(text.replaceAll(' ', '')) ?? [];
  if (model === undefined || limits === undefined)
    throw new InvalidArgumentError("Give a pattern and its limits, such as 'openai/*:rpm=60,tpm=100000'.");
  return [...gathered, { model, rpm: limitOf('rpm', limits), tpm: limitOf('tpm', limits) }];
}

/** The same, or the word `none` alone. */
export function gatherModelLimitsOrNone(text: string, gathered?: ModelLimit[] | 'none'): ModelLimit[] | 'none' {
  if (text !== 'none' && gathered !== 'none') return gatherModelLimits(text, gathered);
  if (gathered === undefined) return 'none';
  throw new InvalidArgumentError('Give limits, or none.');
}

/** Null: it is not limited. */
function limitOf(name: 'rpm' | 'tpm', limits: string): number | null {
  const found = limits.split(',').find((limit) => limit.startsWith(name));
  if (found === undefined) return null;
  const value = Number(found.slice(`${name}=`.length).replaceAll('_', ''));
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('A limit is too large.');
  return value;
}
