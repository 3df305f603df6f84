import type { Behaviour } from '../behaviour/behaviour';
import { Refusal } from '../request/refusal';
import type { RefusalDetails } from '../request/refusal';
import type { Connection } from './connection';
import type { Dialect } from './simulated-dialect';

/**
 * OpenAI's words for one request that is larger than all tokens of a minute, which says nothing of its load:
 * https://github.com/DrShushen/climb/issues/13
 */
const tooLarge =
  'Request too large for gpt-4o in organization org-sandbox on tokens per min (TPM): Limit 30000, Requested 30601. ' +
  'The input or output tokens must be reduced in order to run successfully.';

/** How OpenAI's error object names it; other dialects have their usual type for the status. */
function ofTokens({ name: dialect }: Dialect): RefusalDetails {
  return dialect.startsWith('openai') ? { type: 'tokens', code: 'rate_limit_exceeded' } : {};
}

/** The dialect's own words are taken for a status that a control asked for. */
export class ToldStatus extends Refusal {
  constructor(status: number) {
    super('', { status });
  }
}

/** The refusal that the controls ask for; null: none. */
export function refusalOf(dialect: Dialect, { status, fault }: Behaviour, inputTokens: number): Refusal | null {
  if (status !== null) return new ToldStatus(status);
  if (fault === 'overloaded') return new ToldStatus(dialect.overloadedStatus);
  if (fault === 'too_large') return new Refusal(tooLarge, { ...ofTokens(dialect), status: 429 });
  if (fault === 'unknown_file') return new Refusal('No such File object: file-gone', { status: 404 });
  return fault === 'context' ? dialect.tooLong(inputTokens) : null;
}

/** Tells a refusal in the dialect's shape. `key`: the credential that came. */
export async function tellRefusal(
  connection: Connection,
  dialect: Dialect,
  refusal: Refusal,
  key: string,
  retry: Pick<Behaviour, 'retryAfterS' | 'retryAsDate'> = { retryAfterS: null, retryAsDate: false },
): Promise<void> {
  const { status = 400, type = null, param = null, code = null, more = null } = refusal.details;
  const message = refusal instanceof ToldStatus ? null : refusal.message;
  const { retryAfterS } = retry;
  const { body, headers } = dialect.error({ status, message, type, param, code, more, key, retryAfterS });
  const all = { 'content-type': 'application/json', ...headers, ...retryHeader(retry) };
  return connection.answer(status, all, body, 0, 'refused');
}

/** In both forms that HTTP has: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function retryHeader({
  retryAfterS,
  retryAsDate,
}: Pick<Behaviour, 'retryAfterS' | 'retryAsDate'>): Record<string, string> {
  if (retryAfterS === null) return {};
  const value = retryAsDate ? new Date(Date.now() + retryAfterS * 1_000).toUTCString() : String(retryAfterS);
  return { 'retry-after': value };
}
