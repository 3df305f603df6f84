import { settingsOperations } from '@tollgate/contracts/catalog';
import { z } from 'zod/mini';
import { get, post } from './client';

const { show, apply, history, find, rollBack } = settingsOperations;
const versions = z.object({ data: history.reply.shape.versions, next: history.reply.shape.next });

export type GatewaySettings = z.infer<typeof show.reply>;
export type SettingsVersion = z.infer<typeof versions>['data'][number];
/** What a change of settings changes, or would. */
export type SettingsOutcome = z.infer<typeof apply.reply>;

/** `version`: the one that the document was made from. */
interface SettingsWish {
  document: string;
  version: number;
  reason?: string;
  dryRun?: boolean;
}

export const fetchSettings = () => get('/api/admin/config', show.reply);
/** Whoever empties the text is told there that it takes everything back. */
export const applySettings = (wish: SettingsWish) =>
  post('/api/admin/config', { ...wish, takesAllBack: wish.document.trim() === '' }, apply.reply);
export const fetchSettingsHistory = (after?: string) => get('/api/admin/config/history', versions, { after });
/** `to`: whose document holds again; `version`: which one holds now. */
export const rollBackSettings = (wish: { to: number; version: number; reason?: string }) =>
  post('/api/admin/config/rollback', wish, rollBack.reply);

/** What a roll-back to a version would change. */
export async function compareSettings(to: number, version: number): Promise<SettingsOutcome> {
  const { settings } = await get(`/api/admin/config/history/${to}`, find.reply);
  return applySettings({ document: settings.document, version, dryRun: true });
}
