import { isRecord, parseJson } from '@tollgate/dialects/surface';

/** Longer ones are no ids of Claude Code's, characters. */
const longestId = 1_024;
/** As versions before 2.1.78 wrote it. */
const joined = /^(user_.+)_session_([\w-]+)$/;

/** Whom a body says that it is for. */
interface Told {
  readonly endUser: string;
  readonly session?: string;
}

/**
 * An end user as the caller says it. Claude Code puts its session into the same text
 * (`user_<digest>_account_<id>_session_<id>`, or JSON with `device_id`, `account_uuid` and `session_id`):
 * without it, all sessions of a person are one end user's.
 * https://github.com/ding113/claude-code-hub/pull/939
 */
export function endUserAndSession(told: string): Told {
  if (told.length > longestId) return { endUser: told };
  const [, endUser, session] = joined.exec(told) ?? [];
  if (endUser !== undefined && session !== undefined) return { endUser, session };
  const parts = told.startsWith('{') ? parseJson(told) : undefined;
  if (!isRecord(parts) || typeof parts.session_id !== 'string') return { endUser: told };
  const { account_uuid: account, device_id: device } = parts;
  const name = typeof account === 'string' && account !== '' ? account : device;
  return { endUser: typeof name === 'string' ? name : told, session: parts.session_id };
}
