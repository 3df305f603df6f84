import type { AccountsQueries } from '../storage';
import { tellAlert, tellAlerts, type Alert } from './tell-alert';

type ToldQueries = Pick<AccountsQueries, 'toldAlert' | 'webhook' | 'webhookDelivery'>;

/**
 * Tells of something that goes on, or that happened, unless it was told under this name already. To be called
 * in a transaction: whichever instance is first tells. `forgetAt`: from then on it may be told again; null:
 * once `tellOver` was called. Returns whether it told.
 */
export async function tellOnce(
  queries: ToldQueries,
  name: string,
  alert: Alert,
  forgetAt: Date | null,
): Promise<boolean> {
  await queries.toldAlert.deleteMany({ where: { name, forgetAt: { lte: new Date() } } });
  const { count } = await queries.toldAlert.createMany({ data: [{ name, forgetAt }], skipDuplicates: true });
  if (count > 0) await tellAlert(queries, alert);
  return count > 0;
}

/**
 * Tells of each of several things that happened, unless it was told under its name already. To be called in a
 * transaction, as `tellOnce` for one; `forgetAt` as there. `gathered`: what people are told of several.
 */
export async function tellEachOnce(
  queries: ToldQueries,
  alerts: ReadonlyMap<string, Alert>,
  forgetAt: Date,
  gathered?: (fresh: readonly Alert[]) => Alert,
): Promise<void> {
  const names = [...alerts.keys()].sort();
  await queries.toldAlert.deleteMany({ where: { name: { in: names }, forgetAt: { lte: new Date() } } });
  const data = names.map((name) => ({ name, forgetAt }));
  const told = await queries.toldAlert.createManyAndReturn({ data, skipDuplicates: true, select: { name: true } });
  const fresh = told.flatMap(({ name }) => alerts.get(name) ?? []);
  if (!gathered || fresh.length < 2) return tellAlerts(queries, fresh);
  const each = fresh.map((alert) => ({ ...alert, only: 'programs' as const }));
  await tellAlerts(queries, [...each, { ...gathered(fresh), only: 'people' }]);
}

/**
 * Tells of those of several things that go on which were not told under their names before, in one alert.
 * Each may be told again once `tellOver` was called. To be called in a transaction.
 */
export async function tellNew(
  queries: ToldQueries,
  names: readonly string[],
  alertOf: (fresh: ReadonlySet<string>) => Alert,
): Promise<void> {
  const data = [...names].sort().map((name) => ({ name }));
  const told = await queries.toldAlert.createManyAndReturn({ data, skipDuplicates: true, select: { name: true } });
  if (told.length > 0) await tellAlert(queries, alertOf(new Set(told.map(({ name }) => name))));
}

/** What was told under these names is over: it may be told again. `alert` null: nobody is told that it is. */
export async function tellOver(queries: ToldQueries, names: readonly string[], alert: Alert | null): Promise<void> {
  const { count } = await queries.toldAlert.deleteMany({ where: { name: { in: [...names] } } });
  if (count > 0 && alert) await tellAlert(queries, alert);
}
