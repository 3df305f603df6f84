import { GatewayError } from '@tollgate/contracts';
import { parseRequestJson } from '@tollgate/dialects/surface';
import { FairMemory } from '@tollgate/messaging';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { readBody } from '../generation/read-body';
import { checkContentType } from '../generation/body-encoding';

/** Bytes of one body, and of all that are held at once. */
const bodyLimit = 65_536;
const bodiesLimit = 16_777_216;
/** Bodies of this size wait for no turn, whoever sends them. */
const nobody = '';

/** The small bodies of those who administer. */
export class JsonBodies {
  private readonly memory = new FairMemory(bodiesLimit);

  /** `limit`: bytes. @throws GatewayError 400, 413, 415, 503; CallerLeft. */
  async read(request: FastifyRequest, limit = bodyLimit): Promise<unknown> {
    checkContentType(request.headers);
    const owner = { keyId: nobody, accountId: request.ip };
    const held = await readBody(request.raw, { limit, memory: this.memory, owner });
    try {
      return parseRequestJson(held.bytes);
    } finally {
      held.release();
    }
  }
}

/** @throws GatewayError 400 naming the first field at fault. */
export function parseShape<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.');
  throw new GatewayError(400, field ? `${field}: ${issue?.message}` : (issue?.message ?? 'The request is malformed.'));
}
