import { setTimeout as delay } from 'node:timers/promises';
import { rowsOf } from '../../cluster/sql';
import { ask } from '../ask';
import type { Asked, Caller } from '../callers';

const everyMs = 1_000;
/** Looks that have to find the same sums. It writes them together, every ten seconds or so. */
const sameLooks = 15;
const writtenWithinMs = 180_000;

/**
 * Has callers ask LiteLLM, one after the other, and waits until all that they spent stands in its tables.
 * @throws Error where it does not come to stand there
 */
export async function askLitellm(baseUrl: string, callers: readonly Caller[], litellmUrl: string): Promise<Asked[]> {
  const before = await standing(litellmUrl);
  const asked: Asked[] = [];
  for (const caller of callers) asked.push(await ask(baseUrl, caller));
  const answered = asked.filter(({ text }) => text !== null).length;
  const giveUpAt = Date.now() + writtenWithinMs;
  for (let [same, last] = [0, before]; same < sameLooks; await delay(everyMs)) {
    const now = await standing(litellmUrl);
    const isWhole =
      now.logs - before.logs >= answered && Math.abs(now.keys - before.keys - (now.logged - before.logged)) < 1e-7;
    same = isWhole && JSON.stringify(now) === JSON.stringify(last) ? same + 1 : 0;
    last = now;
    if (Date.now() > giveUpAt)
      throw new Error(`LiteLLM did not write what was spent: ${JSON.stringify({ answered, before, now })}`);
  }
  return asked;
}

interface Standing {
  logs: number;
  logged: number;
  keys: number;
  owners: number;
}

async function standing(litellmUrl: string): Promise<Standing> {
  const sum = (table: string): string => `(SELECT coalesce(sum(spend), 0) FROM "LiteLLM_${table}")::float8`;
  const [row] = await rowsOf<Standing>(
    litellmUrl,
    `SELECT (SELECT count(*) FROM "LiteLLM_SpendLogs")::int AS logs, ${sum('SpendLogs')} AS logged,
      ${sum('VerificationToken')} AS keys, ${sum('TeamTable')} + ${sum('UserTable')} AS owners`,
  );
  if (!row) throw new Error("LiteLLM's tables tell nothing.");
  return row;
}
