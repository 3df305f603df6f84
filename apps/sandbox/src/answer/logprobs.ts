import { hash } from './hash';
import { words } from './words';

/** A token and its natural logarithm of a probability: always the same for the same token. */
export interface Logprob {
  token: string;
  logprob: number;
}

/** The log probability of a bit of text. */
export function logprobOf(token: string): Logprob {
  return { token, logprob: -((hash(token) % 1_000) + 1) / 10_000 };
}

/** The likeliest tokens in its place, itself first. */
export function alternativesTo(token: string, count: number): Logprob[] {
  const seed = hash(token);
  const others = Array.from({ length: Math.max(count - 1, 0) }, (_, index) => ({
    token: ` ${words[(seed + index) % words.length]}`,
    logprob: -3 - index,
  }));
  return [logprobOf(token), ...others].slice(0, count);
}
