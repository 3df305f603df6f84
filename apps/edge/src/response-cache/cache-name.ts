import { createHash, createHmac } from 'node:crypto';
import { significantBytes } from './significant-bytes';

/**
 * Everything that an answer depends on. `headers` are those that a provider of the same dialect gets, `rules`
 * stands for the guardrails of the answer; `bodyDigest` is that of the body.
 */
export interface CacheQuestion {
  readonly accountId: string;
  readonly surface: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rules: string;
  readonly bodyDigest: string;
}

/**
 * The name of a question in the cache: an HMAC, so that nobody who reads memory can test what somebody asked.
 * The account comes first in it, so that no account can be given the answer of another. `stream` is a member
 * of the body.
 */
export function cacheName(secret: string, question: CacheQuestion): string {
  const { accountId, surface, model, headers, rules, bodyDigest } = question;
  const told = Object.entries(headers).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHmac('sha256', secret)
    .update(`response-cache\n${JSON.stringify([accountId, surface, model, told, rules])}\n`)
    .update(bodyDigest)
    .digest('base64');
}

/** Stands for all of a body that is not white space; it was parsed as JSON. */
export function digestOf(body: Uint8Array): string {
  return createHash('sha256').update(significantBytes(body)).digest('base64');
}
