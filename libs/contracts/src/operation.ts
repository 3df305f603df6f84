import type { z } from 'zod';

/** One request-reply operation between services: its NATS subject and the shapes of both directions. */
export interface Operation<Request extends z.ZodType, Reply extends z.ZodType> {
  subject: string;
  request: Request;
  reply: Reply;
}

/**
 * Declares an operation. `subject` is `<service>.<noun>.<verb>`; the service answers in the queue group of
 * its name.
 */
export function operation<Request extends z.ZodType, Reply extends z.ZodType>(
  subject: string,
  request: Request,
  reply: Reply,
): Operation<Request, Reply> {
  return { subject, request, reply };
}

/**
 * Operations as their service sees them, by name: what is asked, parsed, and what may be answered, which
 * callers parse. `Served['list']['request']` reads as it is written at a method that serves `list`.
 */
export type ServedBy<Operations extends Record<string, Operation<z.ZodType, z.ZodType>>> = {
  [Name in keyof Operations]: {
    request: z.output<Operations[Name]['request']>;
    reply: z.input<Operations[Name]['reply']>;
  };
};
