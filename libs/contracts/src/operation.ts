import type { z } from 'zod';

/** One request-reply operation between services: its NATS subject and the shapes of both directions. */
export interface Operation<Request extends z.ZodType, Reply extends z.ZodType> {
  subject: string;
  request: Request;
  reply: Reply;
  /** Absent: the reply has one form. */
  quick?: QuickForm<z.output<Reply>>;
}

/**
 * Another form of a reply, which is written, carried and read faster, for who says that it reads it. A
 * service of the release before passes over what says so, and answers in the usual form.
 */
export interface QuickForm<Read> {
  /** Members of what is asked, which say it. */
  asked: Readonly<Record<string, unknown>>;
  /** Reads either form. */
  reply: z.ZodType<Read>;
}

/**
 * Declares an operation. `subject` is `<service>.<noun>.<verb>`; the service answers in the queue group of
 * its name.
 */
export function operation<Request extends z.ZodType, Reply extends z.ZodType>(
  subject: string,
  request: Request,
  reply: Reply,
  quick?: QuickForm<z.output<Reply>>,
): Operation<Request, Reply> {
  return { subject, request, reply, ...(quick && { quick }) };
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
