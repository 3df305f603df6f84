import { GatewayError } from '@tollgate/contracts';
import { settingsOperations } from '@tollgate/contracts/catalog';
import { z } from 'zod';
import { param, route } from '../route';
import { doRecorded } from './record-act';

const { show, apply, history, find, rollBack } = settingsOperations;

/** What is set without tollgate.yaml. */
export const settingsRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/config',
    access: 'administrator',
    summary: 'The settings that hold, their version, and every entry with where it comes from',
    answer: show.reply,
    handle: (_asked, services) => services.ask(show, {}),
  }),
  route({
    method: 'POST',
    path: '/api/admin/config',
    access: 'administrator',
    summary: 'Put other settings in force, as a whole, or only look what that would change (`dryRun`)',
    body: apply.request.omit({ by: true }),
    answer: apply.reply,
    handle: ({ body, signedIn }, services) => doRecorded(apply, body, signedIn, services),
  }),
  route({
    method: 'GET',
    path: '/api/admin/config/history',
    access: 'administrator',
    summary: 'Versions of the settings: who, when and why, the newest first',
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(500).default(20),
      after: z.coerce.number().int().positive().optional(),
    }),
    answer: z.object({ data: history.reply.shape.versions, next: history.reply.shape.next }),
    handle: async ({ query }, services) => {
      const { versions, next } = await services.ask(history, query);
      return { data: versions, next };
    },
  }),
  route({
    method: 'GET',
    path: '/api/admin/config/history/:version',
    access: 'administrator',
    summary: 'One version with its document',
    answer: find.reply,
    handle: (asked, services) => services.ask(find, { version: versionOf(asked) }),
  }),
  route({
    method: 'POST',
    path: '/api/admin/config/rollback',
    access: 'administrator',
    summary: 'Put the settings of an earlier version in force again, as a new version',
    body: rollBack.request.omit({ by: true }),
    answer: rollBack.reply,
    handle: ({ body, signedIn }, services) => doRecorded(rollBack, body, signedIn, services),
  }),
];

function versionOf(asked: Parameters<typeof param>[0]): number {
  const { data } = find.request.safeParse({ version: Number(param(asked, 'version')) });
  if (!data?.version) throw new GatewayError(404, 'There is no such version.');
  return data.version;
}
