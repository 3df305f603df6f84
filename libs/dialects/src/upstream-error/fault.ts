import type { UpstreamError } from '../provider-dialect';
import { redact } from './redact';

type Fault = UpstreamError['fault'];

/**
 * Whose fault an HTTP status is. 400, 413 and 422 speak of the request. 408, 409, 425, 429 and everything
 * from 500 may pass. The rest (401, 402, 403, 404 and whatever else should not happen between a gateway and
 * its provider) is ours.
 */
export function faultOfStatus(status: number): Fault {
  if (status === 400 || status === 413 || status === 422) return 'caller';
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500) return 'retryable';
  return 'ours';
}

/** So much of a text is looked at for what it is about. */
const lookedAt = 1_000;

/**
 * What a caller may name in a request: stored items, files, answers, containers. A word in a path
 * (`POST /v1/responses`) names an endpoint.
 */
const callersThings =
  /(?<![\w/])(?:item|file|response|container|vector[ _]?store|conversation|cached[ _]?content|upload|skill|prompt with id)s?\b/i;
/** What an operator names. */
const ourThings =
  /\b(?:model|deployment|account|organi[sz]ation|project|api[ _]key|billing|subscription|endpoint|region)s?\b/i;
const inputWords =
  'input|prompt|request|image|audio|file|message|content|schema|format|grammar|tokens?|parameter|field|tools?';
const refusalWords = 'too (?:large|long|big|many)|not supported|unsupported|invalid|exceed(?:s|ed)?';
/**
 * llama.cpp's words for what it cannot read of a request; a model's own bad output is another "failed to
 * parse".
 * Where they stand nothing else is looked for: older versions put the caller's messages behind them.
 * https://github.com/ngxson/smolvlm-realtime-webcam/issues/13
 */
const unread = /\bfailed to parse (?:messages|tools|grammar)\b/i;
const namesInput = new RegExp(
  `\\b(?:${inputWords})\\b.*\\b(?:${refusalWords})\\b|\\b(?:${refusalWords})\\b.*\\b(?:${inputWords})\\b`,
  'i',
);
/**
 * Words of failures that look like refusals of an input: "request deadline exceeded", "invalid memory
 * access".
 */
const namesTrouble =
  /\b(?:time[ds]?[ -]?out|deadline|rate|quota|memory|connection|overloaded|capacity|upstream|internal|pointer|null|nil|panic)\b/i;
/**
 * xAI's word (410) to a caller who asks for the search that it took back.
 * https://github.com/vercel/ai/pull/15713
 */
const takenBack = /\blive search is deprecated\b/i;
const tooLong =
  /maximum context length|context[ _](?:length|size|window)|prompt is too long|(?:input|prompt)[^.]* too long|too many (?:total |input )?tokens|cannot exceed .*context|exceeds? the (?:maximum )?(?:context|token|number of tokens)|token count .*exceeds/i;
const tooLargeAlone =
  /\brequest too large\b|reduce your message size|must be reduced|reduce the length|tokens? per min[^:]*:? .*\brequested\b/i;

/**
 * Whose fault an answer with this status and text is. Beside the status: a 403 or 404 about a thing that the
 * caller named is the caller's, and so is a 500 or 501 whose text names the input: llama.cpp says 500 to an
 * image for a text model and to an embedding input that is too large, Ollama to a schema that it cannot read.
 * A 410 is a model that is gone, unless it names what the caller asked for beside it.
 * The other 5xx speak of load and of hops, whatever else they say ("request limit exceeded").
 * https://github.com/ggml-org/llama.cpp/pull/7389 https://platform.openai.com/docs/guides/conversation-state
 */
export function faultOfAnswer(status: number, wholeText: string): Fault {
  const text = wholeText.slice(0, lookedAt);
  if ((status === 403 || status === 404) && callersThings.test(text) && !ourThings.test(text)) return 'caller';
  if (status === 410 && takenBack.test(text)) return 'caller';
  const refusesInput = unread.test(text) || (namesInput.test(text) && !namesTrouble.test(text));
  if ((status === 500 || status === 501) && refusesInput) return 'caller';
  return faultOfStatus(status);
}

/**
 * What else an answer tells, for an error of this fault: the status that a caller is told instead of 400;
 * that a 429 concerns this request alone and not the load (OpenAI and Groq:
 * https://github.com/continuedev/continue/issues/11717 https://github.com/elizaOS/eliza/issues/4040); the
 * provider's words, which the message of a caller's own fault has already.
 */
export function toldBeside(
  status: number,
  fault: Fault,
  text: string,
): Pick<UpstreamError, 'status' | 'aboutRequest' | 'detail'> {
  const detail = redact(text);
  return {
    ...(fault === 'caller' && (status === 403 || status === 404) && { status }),
    ...(status === 429 && tooLargeAlone.test(text.slice(0, lookedAt)) && { aboutRequest: true }),
    ...(fault !== 'caller' && detail !== '' && { detail }),
  };
}

/** The one code for an input that is longer than the model's window, else `code`. */
export function codeOf(code: string, fault: Fault, text: string): string {
  return fault === 'caller' && tooLong.test(text.slice(0, lookedAt)) ? 'context_length_exceeded' : code;
}

/**
 * Error words of the OpenAI dialect that say more than the status they come with.
 * https://platform.openai.com/docs/guides/error-codes
 */
const faultOfWord: Readonly<Record<string, Fault>> = {
  invalid_request_error: 'caller',
  context_length_exceeded: 'caller',
  content_filter: 'caller',
  content_policy_violation: 'caller',
  invalid_prompt: 'caller',
  authentication_error: 'ours',
  invalid_api_key: 'ours',
  permission_error: 'ours',
  insufficient_quota: 'ours',
  billing_not_active: 'ours',
  billing_hard_limit_reached: 'ours',
  model_not_found: 'ours',
};

/**
 * Words that overrule the status: an empty account answers 429, a wrong key sometimes 400, and neither gets
 * better by trying again.
 */
const overruling = [
  'insufficient_quota',
  'billing_not_active',
  'billing_hard_limit_reached',
  'invalid_api_key',
  'model_not_found',
];

/** The fault that one of the words names; null when none is known. */
export function faultOfWords(words: readonly string[]): Fault | null {
  for (const word of words) if (Object.hasOwn(faultOfWord, word)) return faultOfWord[word] ?? null;
  return null;
}

/** True when one of the words is about our account or configuration, whatever the status. */
export function isOurAccount(words: readonly string[], message: string): boolean {
  // Google answers a wrong key with 400: https://ai.google.dev/gemini-api/docs/troubleshooting
  return (
    words.some((word) => overruling.includes(word)) ||
    /\bapi[ _]key\b.*\b(?:not valid|invalid|expired)\b|\binvalid api[ _]key\b/i.test(message)
  );
}
