import type { ReadError, UpstreamError } from '../provider-dialect';
import { faultOfAnswer, faultOfStatus, isOurAccount, toldBeside } from '../upstream-error/fault';
import { errorText } from '../upstream-error/error-text';
import { failure } from '../upstream-error/refusal-words';
import { retryAfterSeconds } from '../upstream-error/retry-after';
import { isRecord, parseJson, recordIn } from '../wire/json-value';

/**
 * By Google's word for the status: https://ai.google.dev/gemini-api/docs/troubleshooting
 * https://cloud.google.com/apis/design/errors#handling_errors
 */
const faults: Readonly<Record<string, UpstreamError['fault']>> = {
  INVALID_ARGUMENT: 'caller',
  OUT_OF_RANGE: 'caller',
  // A country that is not served, or an account that must be paid for.
  FAILED_PRECONDITION: 'ours',
  PERMISSION_DENIED: 'ours',
  UNAUTHENTICATED: 'ours',
  NOT_FOUND: 'ours',
  UNIMPLEMENTED: 'ours',
  RESOURCE_EXHAUSTED: 'retryable',
  UNAVAILABLE: 'retryable',
  DEADLINE_EXCEEDED: 'retryable',
  INTERNAL: 'retryable',
  ABORTED: 'retryable',
  CANCELLED: 'retryable',
  UNKNOWN: 'retryable',
  DATA_LOSS: 'retryable',
};

/**
 * Reads a non-2xx answer: {"error": {code, message, status, details}}, where a stream was asked for also as
 * the only item of an array.
 */
export const readError: ReadError = (status, headers, body, providerName, nowMs) => {
  const text = errorText(body);
  const value = parseJson(text);
  const error = recordIn(Array.isArray(value) ? value[0] : value, 'error');
  const described = describe(error, status, providerName);
  return { ...described, retryAfterS: retryAfterSeconds(headers, nowMs) ?? described.retryAfterS };
};

/** Reads the `error` of an answer with the status 200. */
export function readErrorObject(error: Record<string, unknown>, providerName: string): UpstreamError {
  return describe(error, typeof error.code === 'number' ? error.code : 500, providerName);
}

/** Only for the caller's own faults does the message carry the provider's text. */
function describe(error: Record<string, unknown>, status: number, providerName: string): UpstreamError {
  const word = typeof error.status === 'string' ? error.status : '';
  const text = typeof error.message === 'string' ? error.message : '';
  const details = Array.isArray(error.details) ? error.details.filter(isRecord) : [];
  const retryAfterS = retryDelay(details);
  const fault = faultOf(word, text, details, status);
  const code = /^[A-Z][A-Z_]{1,63}$/.test(word) ? word.toLowerCase() : `http_${status}`;
  const described = failure(providerName, { fault, code, told: `${status}`, text, retryAfterS });
  return { ...described, ...toldBeside(status, fault, text) };
}

/**
 * A wrong key answers 400 INVALID_ARGUMENT, and only its reason tells:
 * https://ai.google.dev/gemini-api/docs/troubleshooting
 */
function faultOf(
  word: string,
  text: string,
  details: readonly Record<string, unknown>[],
  status: number,
): UpstreamError['fault'] {
  const isKey = details.some(({ reason }) => typeof reason === 'string' && reason.startsWith('API_KEY_'));
  if (isKey || isOurAccount([], text)) return 'ours';
  const byText = faultOfAnswer(status, text);
  if (byText !== faultOfStatus(status)) return byText;
  return (Object.hasOwn(faults, word) ? faults[word] : undefined) ?? byText;
}

/**
 * Seconds of a google.rpc.RetryInfo, such as "34.07s", rounded up; null where there is none.
 * https://cloud.google.com/apis/design/errors#retry_info
 */
function retryDelay(details: readonly Record<string, unknown>[]): number | null {
  for (const { '@type': type, retryDelay: delay } of details) {
    if (typeof type !== 'string' || !type.endsWith('google.rpc.RetryInfo') || typeof delay !== 'string') continue;
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1];
    if (seconds !== undefined) return retryAfterSeconds({ 'retry-after': seconds }, 0);
  }
  return null;
}
