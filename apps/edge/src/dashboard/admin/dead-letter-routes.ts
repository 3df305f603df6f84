import { GatewayError } from '@tollgate/contracts';
import { deadLetter, ledgerOperations } from '@tollgate/contracts/metering';
import { z } from 'zod';
import { nothing, param, route } from '../route';
import { recordAct } from './record-act';

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
      await recordAct(ledgerOperations.replayDeadLetter, request, asked.signedIn, services);
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
      await recordAct(ledgerOperations.dropDeadLetter, request, asked.signedIn, services);
      await services.ask(ledgerOperations.dropDeadLetter, request);
    },
  }),
];

function letter(asked: Parameters<typeof param>[0]): { sequence: number } {
  const sequence = Number(param(asked, 'sequence'));
  if (!Number.isSafeInteger(sequence) || sequence < 1) throw new GatewayError(404, 'There is no such dead letter.');
  return { sequence };
}
