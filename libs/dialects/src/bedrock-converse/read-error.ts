import type { ReadError, UpstreamError } from '../provider-dialect';
import { faultOfAnswer, toldBeside } from '../upstream-error/fault';
import { errorText } from '../upstream-error/error-text';
import { failure } from '../upstream-error/refusal-words';
import { retryAfterSeconds } from '../upstream-error/retry-after';
import { isRecord, parseJson } from '../wire/json-value';

/**
 * By the exception's name without its ending, lower case.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html#API_runtime_ConverseStream_Errors
 */
const faults: Readonly<Record<string, UpstreamError['fault']>> = {
  validation: 'caller',
  throttling: 'retryable',
  internalserver: 'retryable',
  serviceunavailable: 'retryable',
  modeltimeout: 'retryable',
  modelnotready: 'retryable',
  modelerror: 'retryable',
  modelstreamerror: 'retryable',
  servicequotaexceeded: 'ours',
  accessdenied: 'ours',
  resourcenotfound: 'ours',
};

/**
 * Words of a ValidationException that speak of our configuration: a model's name or region, not of the
 * caller's request.
 */
const aboutOurModel =
  /model identifier is invalid|on-demand throughput|inference profile|end of its life|access to the model/i;

/**
 * Reads a non-2xx answer: {"message"} and the exception's name in `x-amzn-errortype`. Only for the caller's
 * own faults does the message carry the provider's text.
 */
export const readError: ReadError = (status, headers, body, providerName, nowMs) => {
  const text = errorText(body).trim();
  const value = parseJson(text);
  // The header may go on behind a colon with an address.
  const header = headers['x-amzn-errortype']?.split(':', 1)[0];
  const type = header ?? (isRecord(value) && typeof value.__type === 'string' ? value.__type.replace(/^.*#/, '') : '');
  const retryAfterS = retryAfterSeconds(headers, nowMs);
  const message = messageOf(value);
  const described = describe(type, message, faultOfAnswer(status, message), String(status), providerName);
  return { ...described, retryAfterS, ...toldBeside(status, described.fault, message) };
};

/**
 * Reads an exception that came inside a stream, after the status 200. `type` is its name, `value` its
 * payload.
 */
export function readException(type: string, value: unknown, providerName: string): UpstreamError {
  const name = type === 'error' && isRecord(value) && typeof value.code === 'string' ? value.code : type;
  return describe(name, messageOf(value), 'retryable', name, providerName);
}

/** `otherwise`: the fault where the name is not known. `told`: what the message calls the failure. */
function describe(
  type: string,
  text: string,
  otherwise: UpstreamError['fault'],
  told: string,
  providerName: string,
): UpstreamError {
  const name = type.replace(/Exception$/, '').toLowerCase();
  const known = Object.hasOwn(faults, name) ? faults[name] : undefined;
  const fault = aboutOurModel.test(text) ? 'ours' : (known ?? otherwise);
  const code = /^[A-Za-z]\w{1,63}$/.test(type) ? type : `http_${told}`;
  return failure(providerName, { fault, code, told, text, retryAfterS: null });
}

function messageOf(value: unknown): string {
  if (!isRecord(value)) return '';
  const text = value.message ?? value.Message;
  return typeof text === 'string' ? text : '';
}
