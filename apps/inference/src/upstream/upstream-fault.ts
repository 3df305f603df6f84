import type { TimeLimits } from '@tollgate/contracts/catalog';
import type { UpstreamError } from '@tollgate/dialects';
import { codeOf, plainReason } from './plain-reason';

/** What can go wrong below HTTP. The `…_timeout` codes are our own timers. */
export type UpstreamFaultCode =
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'idle_timeout'
  | 'total_timeout'
  | 'credentials_failed'
  | 'connect_failed'
  | 'connection_lost'
  | 'bad_http';

/**
 * An exchange that broke. `detail` is the system's error code (such as ECONNREFUSED) or an error's name, null
 * for a timer of ours.
 */
export interface UpstreamFault {
  code: UpstreamFaultCode;
  detail: string | null;
}

const said: Record<UpstreamFaultCode, string> = {
  connect_timeout: 'could not be reached in time',
  first_byte_timeout: 'did not begin to answer in time',
  idle_timeout: 'stopped in the middle of its answer',
  total_timeout: 'did not finish its answer in time',
  credentials_failed: 'was not asked, because our credentials for it do not work',
  connect_failed: 'could not be reached',
  connection_lost: 'closed the connection before its answer was complete',
  bad_http: 'sent an answer that is no valid HTTP',
};

const connectCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
]);

const badHttpCodes = new Set(['HTTPParserError', 'UND_ERR_HEADERS_OVERFLOW']);

/** True when one of our timers ended the exchange. */
export function isTimeout(fault: UpstreamFault): boolean {
  return fault.code.endsWith('_timeout');
}

/**
 * Reads undici's error. `requestSent` tells whether the request had a connection; without one it is always a
 * failure to connect.
 */
export function faultFromError(error: Error, requestSent: boolean): UpstreamFault {
  const detail = codeOf(error);
  if (detail === 'UND_ERR_CONNECT_TIMEOUT') return { code: 'connect_timeout', detail };
  if (!requestSent || connectCodes.has(detail)) return { code: 'connect_failed', detail };
  return { code: badHttpCodes.has(detail) ? 'bad_http' : 'connection_lost', detail };
}

/** The setting of `timeouts` that each timer of ours obeys. */
const settings: Partial<Record<UpstreamFaultCode, keyof TimeLimits>> = {
  connect_timeout: 'connectMs',
  first_byte_timeout: 'firstByteMs',
  idle_timeout: 'idleMs',
  total_timeout: 'totalMs',
};

/**
 * What an operator needs of a fault to mend it, beside the address that was asked (`url`): what the system
 * said, or the time limit that passed and the setting that names it.
 * `totalMs` is what the whole exchange had; `isAnswering`: an answer had begun.
 */
export function explainFault(
  { code, detail }: UpstreamFault,
  url: string,
  timeouts: Required<TimeLimits>,
  totalMs: number,
  isAnswering = false,
): string {
  const setting = settings[code];
  if (setting === undefined || detail !== null) return plainReason(detail ?? code, isAnswering ? null : url);
  if (setting === 'totalMs' && totalMs < timeouts.totalMs) return "the request's own time was over";
  return `${setting} of its timeouts is ${timeouts[setting]}`;
}

/**
 * A fault in the form that attempts are judged by. Every one may be tried elsewhere: none of them is the
 * caller's. Credentials that do not work are no better a moment later.
 */
export function errorFromFault(fault: UpstreamFault, providerName: string): UpstreamError {
  return {
    fault: fault.code === 'credentials_failed' ? 'ours' : 'retryable',
    code: fault.code,
    message: `${providerName} ${said[fault.code]}`,
    retryAfterS: null,
  };
}
