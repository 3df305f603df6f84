import type { ReadError, UpstreamError } from '../provider-dialect';
import { codeOf, faultOfAnswer, isOurAccount, toldBeside } from '../upstream-error/fault';
import { errorText } from '../upstream-error/error-text';
import { failureInAnswer, refusalWords } from '../upstream-error/refusal-words';
import { retryAfterSeconds } from '../upstream-error/retry-after';
import { isRecord, parseJson, recordIn } from '../wire/json-value';

type Fault = UpstreamError['fault'];

/** https://platform.claude.com/docs/en/api/errors */
const faultOfType: Readonly<Record<string, Fault>> = {
  invalid_request_error: 'caller',
  request_too_large: 'caller',
  authentication_error: 'ours',
  billing_error: 'ours',
  permission_error: 'ours',
  not_found_error: 'ours',
  rate_limit_error: 'retryable',
  api_error: 'retryable',
  timeout_error: 'retryable',
  overloaded_error: 'retryable',
};

/** An empty account answers 400 with a type that elsewhere blames the request. */
const emptyAccount = /\bcredit balance is too low\b|\b(?:usage|spend(?:ing)?) limits?\b/i;

interface Detail {
  type: string;
  text: string;
}

/**
 * Reads a non-2xx answer: {"type":"error","error":{"type","message"}}, or whatever a proxy in between put in
 * its place.
 */
export const readError: ReadError = (status, headers, body, providerName, nowMs) => {
  const text = errorText(body);
  const detail = readDetail(parseJson(text));
  const fault = isOurs(detail) ? 'ours' : faultOfAnswer(status, detail.text);
  return {
    fault,
    code: codeOf(detail.type === '' ? `http_${status}` : detail.type, fault, detail.text),
    message:
      fault === 'caller' ? refusalWords(providerName, `${status}`, detail.text) : `${providerName} answered ${status}`,
    retryAfterS: retryAfterSeconds(headers, nowMs),
    ...toldBeside(status, fault, detail.text),
    ...(fault === 'caller' && detailsOf(parseJson(text))),
  };
};

/** Reads an error inside an answer with status 200. What names no known type may pass with time. */
export function readErrorInAnswer(value: unknown, providerName: string): UpstreamError {
  const detail = readDetail(value);
  const fault = isOurs(detail) ? 'ours' : (faultOf(detail.type) ?? 'retryable');
  const code = detail.type === '' ? 'error_in_answer' : detail.type;
  return failureInAnswer(providerName, { fault, code, told: code, text: detail.text });
}

function readDetail(body: unknown): Detail {
  const error = recordIn(body, 'error');
  const text = [error.message, isRecord(body) ? body.message : undefined].find((item) => typeof item === 'string');
  const type = typeof error.type === 'string' && /^[a-z][a-z0-9_.-]{1,63}$/i.test(error.type) ? error.type : '';
  return { type, text: typeof text === 'string' ? text : '' };
}

function isOurs({ type, text }: Detail): boolean {
  return isOurAccount([type], text) || type === 'billing_error' || emptyAccount.test(text);
}

function faultOf(type: string): Fault | null {
  return Object.hasOwn(faultOfType, type) ? (faultOfType[type] ?? null) : null;
}

/**
 * What Anthropic's clients act on, such as `thread_unsupported_request`: @anthropic-ai/sdk,
 * lib/internal/threads.
 */
function detailsOf(body: unknown): Pick<UpstreamError, 'details'> {
  const { error_code: code, unsupported } = recordIn(recordIn(body, 'error'), 'details');
  if (typeof code !== 'string') return {};
  const names = Array.isArray(unsupported) ? unsupported.filter((name) => typeof name === 'string') : null;
  return { details: { error_code: code, ...(names && { unsupported: names }) } };
}
