import type { ReadError, UpstreamError } from '../provider-dialect';
import { codeOf, faultOfAnswer, faultOfStatus, faultOfWords, isOurAccount, toldBeside } from '../upstream-error/fault';
import { errorText } from '../upstream-error/error-text';
import { failureInAnswer, refusalWords } from '../upstream-error/refusal-words';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { retryAfterSeconds } from '../upstream-error/retry-after';
import { isRecord, parseJson, recordIn } from '../wire/json-value';
import { errorOf } from './completion';

/**
 * What an error body says: its words (code, type) and its text. `status` is the HTTP status it names itself,
 * null when none.
 */
interface ErrorDetail {
  words: string[];
  text: string;
  status: number | null;
}

/**
 * Reads a non-2xx answer: OpenAI's {"error":{…}}, its variants ({"message"}, {"detail"}, an array around it),
 * plain text, HTML or nothing.
 * Only for the caller's own faults does the message carry the provider's text: other texts speak of our
 * accounts.
 */
export const readError: ReadError = (status, headers, body, providerName, nowMs) => {
  const text = errorText(body).trim();
  const detail = readDetail(parseJson(text)) ?? { words: [], text: isHtml(text) ? '' : text, status: null };
  const fault = isOurAccount(detail.words, detail.text) ? 'ours' : faultOfAnswer(status, detail.text);
  return {
    fault,
    code: codeOf(shortCode(detail.words) ?? `http_${status}`, fault, detail.text),
    message:
      fault === 'caller' ? refusalWords(providerName, `${status}`, detail.text) : `${providerName} answered ${status}`,
    retryAfterS: retryAfterSeconds(headers, nowMs),
    ...toldBeside(status, fault, detail.text),
  };
};

/**
 * Reads the error that came inside an answer with status 200. `json` is the error member, or the whole object
 * where that is the error.
 * What names neither a status nor a known word may pass with time.
 */
export function readErrorInAnswer(json: string, providerName: string): UpstreamError {
  const detail = readDetail(parseJson(json)) ?? { words: [], text: '', status: null };
  const byStatus = detail.status === null ? null : faultOfStatus(detail.status);
  const fault = isOurAccount(detail.words, detail.text)
    ? 'ours'
    : (byStatus ?? faultOfWords(detail.words) ?? 'retryable');
  const code = shortCode(detail.words) ?? (detail.status === null ? 'error_in_answer' : `http_${detail.status}`);
  const told = detail.status === null ? code : `${detail.status}`;
  return failureInAnswer(providerName, { fault, code, told, text: detail.text });
}

function readDetail(value: unknown): ErrorDetail | null {
  const body: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof body === 'string') return { words: [], text: body, status: null };
  if (!isRecord(body)) return null;
  const error = body.error ?? body;
  if (typeof error === 'string') return { words: [], text: error, status: null };
  if (!isRecord(error)) return { words: [], text: '', status: null };
  const text = [error.message, body.message, body.detail, listed(body)].find((each) => typeof each === 'string');
  return {
    words: [error.code, error.type, error.status].filter((word) => typeof word === 'string'),
    text: typeof text === 'string' ? text : '',
    status: [error.code, error.status].map(httpStatus).find((candidate) => candidate !== null) ?? null,
  };
}

/**
 * FastAPI's refusals, as vLLM and Mistral have them: a list of what is wrong where.
 * https://fastapi.tiangolo.com/tutorial/handling-errors/
 */
function listed(body: Record<string, unknown>): string | null {
  const list: unknown = body.detail ?? recordIn(body, 'message').detail;
  if (!Array.isArray(list)) return null;
  const faults = list.filter(isRecord).map(({ loc, msg }) => {
    const place = Array.isArray(loc) ? loc.filter((step) => step !== 'body').join('.') : '';
    return [place, msg].filter((word) => typeof word === 'string' && word !== '').join(': ');
  });
  return faults.join('; ');
}

/** Some providers write the status as a string. */
function httpStatus(code: unknown): number | null {
  const status = typeof code === 'string' && /^[45]\d\d$/.test(code) ? Number(code) : code;
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 600 ? status : null;
}

/** The first word that is fit to be a code. */
function shortCode(words: readonly string[]): string | null {
  return words.find((word) => /^[a-z][a-z0-9_.-]{1,63}$/i.test(word)) ?? null;
}

function isHtml(text: string): boolean {
  return /^<(?:!doctype|html|head|body|\?xml)/i.test(text);
}

/** Why a whole answer is none: the error that it tells, or `what` the provider sent in place of an answer. */
export function readNoAnswer(value: unknown, providerName: string, what: string): UpstreamError {
  const error = errorOf(value);
  return error === null ? brokenAnswer(providerName, 'malformed_answer', what) : readErrorInAnswer(error, providerName);
}
