import type { AccountsQueries } from '../storage';
import { tellAlert, type Alert } from './tell-alert';

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

/** What was told under this name is over: it may be told again. `alert` null: nobody is told that it is. */
export async function tellOver(queries: ToldQueries, name: string, alert: Alert | null): Promise<void> {
  const { count } = await queries.toldAlert.deleteMany({ where: { name } });
  if (count > 0 && alert) await tellAlert(queries, alert);
}
