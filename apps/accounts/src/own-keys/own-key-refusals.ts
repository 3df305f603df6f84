import { ControlError, ownKeyProvider, reportOperations, type LoggedRequest } from '@tollgate/contracts';
import type { ControlClient } from '@tollgate/messaging';
import type { AccountsQueries } from '../storage';
import { keysGoingWith, type StoredOwnKey } from './own-key-rows';

const hourMs = 3_600_000;
/** What went with a key before is no news of it. */
const lookBackMs = 30 * 24 * hourMs;
/** A page of settings does not wait for longer. */
const patience = { timeoutMs: 3_000, absentMs: 0 };
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
 * What the provider of an own key said of it, where it refused the newest request that went with it; null: it
 * did not, none went with it in 30 days, or metering does not answer.
 */
export async function refusalOf(
  control: Pick<ControlClient, 'call'>,
  used: UsedOwnKey,
  now: number,
): Promise<string | null> {
  if (used.apiKeys.length === 0) return null;
  try {
    const request = await newestWith(control, used, now);
    const last = request?.attempts.findLast(({ ownKey }) => ownKey);
    if (!request || last?.error !== 'own_key_refused') return null;
    const meanwhile = used.key.fallsBack ? 'go on with the gateway’s key, at its prices,' : 'are refused';
    const said = last.reason ?? `it answered ${last.status}`;
    return `The provider refused the key at ${new Date(request.endedAt).toISOString()} (${said}): requests for its models ${meanwhile} until it is given again, or the provider takes it.`;
  } catch (error) {
    if (error instanceof ControlError) return null;
    throw error;
  }
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
  const { lines } = await control.call(reportOperations.series, window, patience);
  const hour = lines.flatMap(({ points }) => points).findLast(({ requests }) => requests > 0)?.at;
  if (hour === undefined) return null;
  const within = { ...whose, startAt: Math.max(startAt, hour), endAt: hour + hourMs, limit: 1 };
  const { requests } = await control.call(reportOperations.listRequests, within, patience);
  return requests[0] ?? null;
}
