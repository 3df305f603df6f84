import type { UpstreamError } from '../provider-dialect';
import { codeOf, faultOfAnswer, isOurAccount, toldBeside } from '../upstream-error/fault';
import { errorText } from '../upstream-error/error-text';
import { refusalWords } from '../upstream-error/refusal-words';
import { retryAfterSeconds } from '../upstream-error/retry-after';
import { isRecord, parseJson } from '../wire/json-value';

const aboutOurKey = /\binvalid api token\b/i;

/** Reads a non-2xx answer: {"message"}, sometimes with an id. Only for the caller's own faults does the message carry the provider's text. https://docs.cohere.com/reference/errors */
export function readError(
  status: number,
  headers: Record<string, string>,
  body: Uint8Array,
  providerName: string,
  nowMs: number,
): UpstreamError {
  const value = parseJson(errorText(body));
  const text = isRecord(value) && typeof value.message === 'string' ? value.message : '';
  const fault = faultOf(status, text);
  const retryAfterS = retryAfterSeconds(headers, nowMs);
  const code = `http_${status}`;
  const beside = toldBeside(status, fault, text);
  if (fault !== 'caller') return { fault, code, message: `${providerName} failed (${status})`, retryAfterS, ...beside };
  return {
    fault,
    code: codeOf(code, fault, text),
    message: refusalWords(providerName, `${status}`, text),
    retryAfterS,
    ...beside,
  };
}

/** 498 is a token that Cohere has blocked; 499 a request that was broken off on the way. */
function faultOf(status: number, text: string): UpstreamError['fault'] {
  if (aboutOurKey.test(text) || isOurAccount([], text)) return 'ours';
  return status === 499 ? 'retryable' : faultOfAnswer(status, text);
}
