import { ControlError } from '@tollgate/contracts';
import { ownKeyProvider } from '@tollgate/contracts/accounts';
import { reportOperations, type LoggedRequest } from '@tollgate/contracts/metering';
import type { ControlClient } from '@tollgate/messaging';
import { someAtOnce } from '@tollgate/service';
import type { AccountsQueries } from '../storage';
import { keysGoingWith, type StoredOwnKey } from './own-key-rows';

const hourMs = 3_600_000;
/** What went with a key before is no news of it. */
const lookBackMs = 30 * 24 * hourMs;
/** For all keys of a list together: who asks accounts for it waits for 2 s. */
const patienceMs = 1_000;
/** Of so many keys at the same time: others ask metering, too. */
const askedAtOnce = 8;
/** Statuses by which a provider may refuse a key for one model alone. */
const ofModel: ReadonlySet<number | null> = new Set([403, 404]);
/** As many as a report is asked of at once. */
const mostKeys = 500;

/** An own key, and the API keys whose requests go with it. */
export interface UsedOwnKey {
  readonly accountId: string;
  readonly key: StoredOwnKey;
  readonly apiKeys: readonly string[];
}

/** Which API keys of an account go with its keys of providers: those of its projects come before its own. */
export async function usersOfOwnKeys(
  queries: AccountsQueries,
  accountId: string,
  keys: readonly StoredOwnKey[],
  ofProjects: readonly (StoredOwnKey & { project: string })[],
): Promise<UsedOwnKey[]> {
  const all = await keysGoingWith(queries, { accountId, project: null });
  const projects = [...new Set(ofProjects.map(({ project }) => project))];
  const byProject = new Map<string, string[]>();
  for (const project of projects) byProject.set(project, await keysGoingWith(queries, { accountId, project }));
  const ofProject = (project: string) => byProject.get(project) ?? [];
  const elsewhere = (provider: string) =>
    new Set(ofProjects.filter((each) => each.provider === provider).flatMap(({ project }) => ofProject(project)));
  return [
    ...keys.map((key) => {
      const others = elsewhere(key.provider);
      return { accountId, key, apiKeys: all.filter((id) => !others.has(id)) };
    }),
    ...ofProjects.map((key) => ({ accountId, key, apiKeys: ofProject(key.project) })),
  ];
}

/**
 * What the providers of own keys said of those that they refused at the newest request of 30 days that went
 * with them. Where metering does not answer in time, or not at all, the rest is not known.
 */
export async function refusalsOf(
  control: Pick<ControlClient, 'call'>,
  used: readonly UsedOwnKey[],
  now: number,
): Promise<ReadonlyMap<StoredOwnKey, string>> {
  const refusals = new Map<StoredOwnKey, string>();
  let endsAtMs = performance.now() + patienceMs;
  const ask: Pick<ControlClient, 'call'>['call'] = (operation, request) =>
    control.call(operation, request, { timeoutMs: Math.max(1, endsAtMs - performance.now()), absentMs: 0 });
  await someAtOnce(used, askedAtOnce, async (one) => {
    if (one.apiKeys.length === 0 || performance.now() >= endsAtMs) return;
    try {
      const request = await newestWith({ call: ask }, one, now);
      const refusal = request && refusalIn(request, one.key);
      if (refusal) refusals.set(one.key, refusal);
    } catch (error) {
      if (!(error instanceof ControlError)) throw error;
      if (error.code === 'unavailable') endsAtMs = -Infinity;
    }
  });
  return refusals;
}

function refusalIn({ attempts, endedAt, model }: LoggedRequest, { fallsBack }: StoredOwnKey): string | null {
  const last = attempts.findLast(({ ownKey }) => ownKey);
  if (last?.error !== 'own_key_refused') return null;
  const meanwhile = fallsBack ? 'go on with the gateway’s key, at its prices,' : 'are refused';
  const said = last.reason ?? `it answered ${last.status}`;
  const [what, models] = ofModel.has(last.status) ? [` for ${model}`, 'it'] : ['', 'its models'];
  return `The provider refused the key${what} at ${new Date(endedAt).toISOString()} (${said}): requests for ${models} ${meanwhile} until it is given again, or the provider takes it.`;
}

/** The hour is looked for in sums, so that few requests are: null: there was none. */
async function newestWith(
  control: Pick<ControlClient, 'call'>,
  { accountId, key, apiKeys }: UsedOwnKey,
  now: number,
): Promise<LoggedRequest | null> {
  const whose = { accountId, keyIds: apiKeys.slice(0, mostKeys), provider: ownKeyProvider(key.provider) };
  const startAt = Math.max(key.setAt.getTime(), now - lookBackMs);
  const window = { ...whose, startAt, endAt: now + 1, step: 'hour' } as const;
  const { lines } = await control.call(reportOperations.series, window);
  const hour = lines.flatMap(({ points }) => points).findLast(({ requests }) => requests > 0)?.at;
  if (hour === undefined) return null;
  const within = { ...whose, startAt: Math.max(startAt, hour), endAt: hour + hourMs, limit: 1 };
  const { requests } = await control.call(reportOperations.listRequests, within);
  return requests[0] ?? null;
}
