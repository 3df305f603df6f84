import {
  administrationOperations,
  deadLetter,
  GatewayError,
  ledgerOperations,
  type SignedIn,
} from '@tollgate/contracts';
import { z } from 'zod';
import type { DashboardServices } from '../dashboard-services';
import { nothing, param, route } from '../route';

/** Usage that could not be stored. */
export const deadLetterRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/dead-letters',
    access: 'administrator',
    summary: 'Usage messages that could not be stored, oldest first',
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(100).default(50),
      after: z.coerce.number().int().nonnegative().optional(),
    }),
    answer: z.object({ data: z.array(deadLetter), next: z.number().int().nullable() }),
    handle: async ({ query }, services) => {
      const { letters, next } = await services.ask(ledgerOperations.listDeadLetters, query);
      return { data: letters, next };
    },
  }),
  route({
    method: 'GET',
    path: '/api/admin/dead-letters/:sequence',
    access: 'administrator',
    summary: 'One of them with its body',
    answer: deadLetter.extend({ body: z.string() }),
    handle: (asked, services) => services.ask(ledgerOperations.showDeadLetter, letter(asked)),
  }),
  route({
    method: 'POST',
    path: '/api/admin/dead-letters/:sequence/replay',
    access: 'administrator',
    summary: 'Store the events of it that can be read now, each once',
    body: nothing,
    answer: ledgerOperations.replayDeadLetter.reply,
    handle: async (asked, services) => {
      const request = letter(asked);
      await record('dead-letter-replayed', request, asked.signedIn, services);
      return services.ask(ledgerOperations.replayDeadLetter, request);
    },
  }),
  route({
    method: 'POST',
    path: '/api/admin/dead-letters/:sequence/drop',
    access: 'administrator',
    summary: 'Remove one for good',
    body: nothing,
    status: 204,
    handle: async (asked, services) => {
      const request = letter(asked);
      await record('dead-letter-dropped', request, asked.signedIn, services);
      await services.ask(ledgerOperations.dropDeadLetter, request);
    },
  }),
];

function letter(asked: Parameters<typeof param>[0]): { sequence: number } {
  const sequence = Number(param(asked, 'sequence'));
  if (!Number.isSafeInteger(sequence) || sequence < 1) throw new GatewayError(404, 'There is no such dead letter.');
  return { sequence };
}

/** Metering has no audit log: accounts keeps what happens there. What cannot be written down is not done. */
async function record(
  action: string,
  detail: { sequence: number },
  { person }: SignedIn,
  services: DashboardServices,
): Promise<void> {
  const { accountId, email: actor } = person;
  await services.ask(administrationOperations.recordAct, { accountId, actor, action, detail });
}
