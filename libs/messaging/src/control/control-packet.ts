import { controlErrorBody } from '@tollgate/contracts';
import { z } from 'zod';

/**
 * The packets of Nest's NATS transport: a request carries an id, and its reply either `response` or `err`.
 * @see https://github.com/nestjs/nest/blob/master/packages/microservices/server/server-nats.ts
 */
export const controlReply = z.object({ err: z.unknown().optional(), response: z.unknown().optional() });

/** Nest's own refusals (no handler, a fault in the framework) have another shape than ours. */
export const controlFailure = controlErrorBody.or(
  z.unknown().transform(() => ({ code: 'internal' as const, message: 'The service failed to answer.' })),
);
