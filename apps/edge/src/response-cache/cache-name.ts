import { createHash, createHmac } from 'node:crypto';

/**
 * Everything that an answer depends on. `headers` are those that a provider of the same dialect gets, `rules`
 * stands for the guardrails of the answer; `tellsThoughts`: see GenerationRequest; `bodyDigest` is that of
 * the body.
 */
export interface CacheQuestion {
  readonly accountId: string;
  readonly surface: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rules: string;
  readonly tellsThoughts: boolean;
  readonly bodyDigest: string;
}

/**
 * The name of a question in the cache: an HMAC, so that nobody who reads memory can test what somebody asked.
 * The account comes first in it, so that no account can be given the answer of another. `stream` is a member
 * of the body.
 */
export function cacheName(secret: string, question: CacheQuestion): string {
  const { accountId, surface, model, headers, rules, tellsThoughts, bodyDigest } = question;
  const told = Object.entries(headers).sort(([one], [other]) => (one < other ? -1 : 1));
  // The others keep the names that they had before it was asked.
  const more = tellsThoughts ? [tellsThoughts] : [];
  return createHmac('sha256', secret)
    .update(`response-cache\n${JSON.stringify([accountId, surface, model, told, rules, ...more])}\n`)
    .update(bodyDigest)
    .digest('base64');
}

/** Stands for all of a body that is not white space; it was parsed as JSON. */
export function digestOf(body: Uint8Array): string {
  return createHash('sha256').update(significantBytes(body)).digest('base64');
}

const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;

/**
 * The bytes of a JSON text without the white space between its tokens. Nothing else is made the same: the
 * order of members can matter to a model (that of a schema decides that of the answer), and numbers are told
 * apart by every digit.
 */
export function significantBytes(json: Uint8Array): Uint8Array {
  const kept = new Uint8Array(json.length);
  let length = 0;
  let inText = false;
  let isEscaped = false;
  for (const byte of json) {
    if (inText) {
      if (isEscaped) isEscaped = false;
      else if (byte === backslash) isEscaped = true;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    // Of what may stand outside of texts in JSON that was parsed, only white space is not above the space
    // character.
    else if (byte <= space) continue;
    kept[length++] = byte;
  }
  return kept.subarray(0, length);
}
