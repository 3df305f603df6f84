import type { ReadError, UpstreamError } from '../provider-dialect';
import { faultOfAnswer, isOurAccount, toldBeside } from '../upstream-error/fault';
import { errorText } from '../upstream-error/error-text';
import { failure } from '../upstream-error/refusal-words';
import { retryAfterSeconds } from '../upstream-error/retry-after';
import { isRecord, parseJson } from '../wire/json-value';

const aboutOurKey = /\binvalid api token\b/i;

/**
 * Reads a non-2xx answer: {"message"}, sometimes with an id. Only for the caller's own faults does the
 * message carry the provider's text. https://docs.cohere.com/reference/errors
 */
export const readError: ReadError = (status, headers, body, providerName, nowMs) => {
  const value = parseJson(errorText(body));
  const text = isRecord(value) && typeof value.message === 'string' ? value.message : '';
  const fault = faultOf(status, text);
  const retryAfterS = retryAfterSeconds(headers, nowMs);
  const code = `http_${status}`;
  const described = failure(providerName, { fault, code, told: `${status}`, text, retryAfterS });
  return { ...described, ...toldBeside(status, fault, text) };
};

/** 498 is a token that Cohere has blocked; 499 a request that was broken off on the way. */
function faultOf(status: number, text: string): UpstreamError['fault'] {
  if (aboutOurKey.test(text) || isOurAccount([], text)) return 'ours';
  return status === 499 ? 'retryable' : faultOfAnswer(status, text);
}
