import type { UpstreamError } from '../provider-dialect';

type Fault = UpstreamError['fault'];

/**
 * Whose fault an HTTP status is. 400, 413 and 422 speak of the request. 408, 409, 425, 429 and everything from 500 may pass. The rest (401, 402, 403, 404 and whatever
 * else should not happen between a gateway and its provider) is ours.
 */
export function faultOfStatus(status: number): Fault {
  if (status === 400 || status === 413 || status === 422) return 'caller';
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500) return 'retryable';
  return 'ours';
}

/** Error words of the OpenAI dialect that say more than the status they come with. https://platform.openai.com/docs/guides/error-codes */
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

/** Words that overrule the status: an empty account answers 429, a wrong key sometimes 400, and neither gets better by trying again. */
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
