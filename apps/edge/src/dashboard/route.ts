import type { Operation } from '@tollgate/contracts';
import type { AccountPermission, SignedIn } from '@tollgate/contracts/accounts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { DashboardServices } from './dashboard-services';
import type { SessionCookie } from './session-cookie';

/**
 * Who may ask: anyone; who is signed in, about themselves; who may do this in their account; administrators
 * of the gateway.
 */
export type Access = 'anyone' | 'person' | AccountPermission | 'administrator';

/** Asks accounts to do something: once, where the request has an idempotency key. */
export type AskOnce = <Request extends z.ZodObject, Reply extends z.ZodType>(
  operation: Operation<Request, Reply>,
  request: z.input<Request>,
) => Promise<z.output<Reply>>;

/**
 * A request as a route sees it, checked: the session of who asks (null where anyone may), and what they sent.
 */
export interface Asked<Who, Query, Body> {
  signedIn: Who;
  query: Query;
  body: Body;
  /** The parts of the address that are named in the route's path. */
  params: Partial<Record<string, string>>;
  /** Everything after the question mark, as it came. */
  search: string;
  /** Where the request comes from, for throttles and the list of sessions. */
  client: { address: string; userAgent: string };
  cookie: SessionCookie;
  message: IncomingMessage;
  /** Of routes that say `isDoneOnce`; no other may ask it. */
  once: AskOnce;
}

/** An answer that sends the browser elsewhere. */
export class Redirect {
  constructor(readonly url: string) {}
}

/** An answer that a browser saves as a file, sent as it is made. */
export class Download {
  constructor(
    readonly fileName: string,
    readonly contentType: string,
    readonly pieces: AsyncIterable<string>,
  ) {}
}

/** An answer that somebody else writes, on Node's own response. */
export class HandOver {
  constructor(readonly answer: (response: ServerResponse) => void) {}
}

/** What a route needs beside the request is in `services`. */
interface Definition<
  Level extends Access,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Answer extends z.ZodType,
> {
  method: 'GET' | 'POST' | 'PATCH';
  /** Below /api; `:name` stands for a part of the address. */
  path: string;
  access: Level;
  /** Also for who has to set up a second factor, and can do nothing else until then. */
  beforeSecondFactor?: true;
  /** It makes something, once under an idempotency key of who asks. */
  isDoneOnce?: true;
  summary: string;
  query?: Query;
  /** Absent: the body is not read. */
  body?: Body;
  /** What the answer is; absent: none, a download, or what another part of edge writes. */
  answer?: Answer;
  /** 200 where nothing is said. */
  status?: 200 | 201 | 202 | 204;
  handle(
    asked: Asked<Level extends 'anyone' ? null : SignedIn, z.output<Query>, z.output<Body>>,
    services: DashboardServices,
  ): Promise<z.input<Answer> | Redirect | Download | HandOver>;
}

/** A route of the dashboard's API: all there is to know of it, for who serves, documents and tests it. */
export interface DashboardRoute {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  access: Access;
  beforeSecondFactor: boolean;
  isDoneOnce: boolean;
  summary: string;
  query: z.ZodObject;
  body: z.ZodObject | null;
  answer: z.ZodType | null;
  status: number;
  handle(asked: Asked<SignedIn | null, unknown, unknown>, services: DashboardServices): Promise<unknown>;
}

/** Declares a route. Who may ask is part of it, so that none can be without a rule. */
export function route<
  Level extends Access,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Body extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Answer extends z.ZodType = z.ZodVoid,
>(definition: Definition<Level, Query, Body, Answer>): DashboardRoute {
  const { method, path, access, summary, query, body, answer, status } = definition;
  return {
    method,
    path,
    access,
    beforeSecondFactor: definition.beforeSecondFactor ?? false,
    isDoneOnce: definition.isDoneOnce ?? false,
    summary,
    query: query ?? z.strictObject({}),
    body: body ?? null,
    answer: answer ?? null,
    status: status ?? 200,
    handle: definition.handle.bind(definition),
  };
}

/** A part of the address that the route's path names. @throws Error when it does not. */
export function param({ params }: { params: Partial<Record<string, string>> }, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`the route's path does not name ${name}`);
  return value;
}

/** An empty body: `{}`. */
export const nothing = z.strictObject({});

/** How a list is asked for, page by page. */
export const page = (most: number, usual: number) => ({
  limit: z.coerce.number().int().min(1).max(most).default(usual),
  after: z.string().min(1).max(200).optional(),
});

/** One page of a list. `next` is the `after` of the next one, null on the last. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), next: z.string().nullable() });
