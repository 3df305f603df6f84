import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Download, HandOver, Redirect } from './route';

const compress = promisify(gzip);
/**
 * Answers from this length on are compressed, bytes. Those that hold a secret (a CSRF token, a new key) are
 * far shorter: their length tells nothing of it.
 */
const compressFrom = 8_192;

/**
 * Sends what a route answered, with its status where that is JSON or nothing. It does not wait until the
 * reader has it.
 */
export async function sendAnswer(
  outcome: unknown,
  status: number,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (outcome instanceof HandOver) {
    reply.hijack();
    outcome.answer(reply.raw);
  } else if (outcome instanceof Redirect) {
    void reply.redirect(outcome.url, 303);
  } else if (outcome instanceof Download) {
    reply.header('content-disposition', `attachment; filename="${outcome.fileName}"`);
    void reply.type(outcome.contentType).send(Readable.from(outcome.pieces));
  } else if (outcome === undefined) {
    void reply.status(status).send();
  } else {
    await sendJson(JSON.stringify(outcome), reply.status(status), request);
  }
}

async function sendJson(text: string, reply: FastifyReply, { headers }: FastifyRequest): Promise<void> {
  reply.type('application/json; charset=utf-8');
  if (text.length < compressFrom || !/\bgzip\b/.test(headers['accept-encoding'] ?? '')) return void reply.send(text);
  reply.headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  void reply.send(await compress(text));
}
