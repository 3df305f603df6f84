import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError, type Operation } from '@tollgate/contracts';
import { adminTokenOperations, unknownDeed } from '@tollgate/contracts/accounts';
import type { z } from 'zod';
import type { DashboardServices } from '../dashboard/dashboard-services';

export const idempotencyHeader = 'idempotency-key';
/** On answers that were given before. */
export const replayedHeader = 'idempotent-replayed';
/** Visible characters, as a header may hold them. */
const idempotencyKey = /^[\x21-\x7e]{1,255}$/;

/** What is done once under an idempotency key. */
export type Once = Pick<z.input<typeof adminTokenOperations.doOnce.request>, 'tokenId' | 'idempotencyKey' | 'digest'>;

/**
 * `whose`: the id of the admin token, or of the person. `question`: what tells one request from another.
 * Null: the request is done as often as it is asked. @throws GatewayError 400 for a key that is none.
 */
export function onceOf(headers: IncomingHttpHeaders, whose: string, question: unknown): Once | null {
  const key = headers[idempotencyHeader];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !idempotencyKey.test(key))
    throw new GatewayError(400, 'Idempotency-Key: must be 1 to 255 visible ASCII characters.');
  return { tokenId: whose, idempotencyKey: key, digest: hash('sha256', JSON.stringify(question)) };
}

/**
 * Has accounts do one of its operations once. `isReplay`: it was done before, and this was answered.
 * @throws GatewayError 409 where the key stands for another request, or the answer cannot be told again.
 */
export async function askOnce<Request extends z.ZodObject, Reply extends z.ZodType>(
  services: Pick<DashboardServices, 'ask'>,
  { subject, reply }: Operation<Request, Reply>,
  request: Record<string, unknown>,
  once: Once,
): Promise<{ answer: z.output<Reply>; isReplay: boolean }> {
  const question = { ...once, subject, request };
  const done = await services.ask(adminTokenOperations.doOnce, question).catch((error: unknown) => {
    throw isUnknownDeed(error, subject) ? beingUpgraded() : error;
  });
  if (done.reply === null) throw done.isReplay ? answerLost() : keyReused();
  return { answer: reply.parse(done.reply), isReplay: done.isReplay };
}

/** An accounts of the release before says so of what it does not do yet. */
function isUnknownDeed(error: unknown, subject: string): boolean {
  return error instanceof GatewayError && error.message === unknownDeed(subject);
}

function beingUpgraded(): GatewayError {
  const message = 'The service of accounts is being upgraded, and does not do this yet: try again in a minute.';
  return new GatewayError(503, message, 30);
}

function keyReused(): GatewayError {
  const message = 'This Idempotency-Key was used for another request in the last 24 hours: take a new one.';
  return new GatewayError(409, message).because('idempotency_key_reused');
}

function answerLost(): GatewayError {
  const message = 'This was done already, and its answer cannot be told again: the pepper was changed since.';
  return new GatewayError(409, message).because('idempotency_answer_lost');
}
