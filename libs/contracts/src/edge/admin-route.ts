import { z } from 'zod';
import type { AdminScope } from '../accounts/admin-tokens';
import type { Operation } from '../operation';

/** An operation that a route asks; what it answers is an object. */
type AdminOperation = Operation<z.ZodObject, z.ZodType>;

/** What the audit log keeps of an act in a service that has none of its own. */
export interface AdminAct {
  action: string;
  detail: Record<string, string | number | boolean | null>;
}

interface Definition {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below /api/admin/v1; `:name` is the member of that name of what the operation is asked. */
  path: string;
  scope: AdminScope;
  summary: string;
  operation: AdminOperation;
  /** Operations that this route answers, too, for who asks them. */
  also?: readonly AdminOperation[];
  /** Which member of the reply is the list; absent: it is none. */
  list?: string;
  /** Members of what the operation is asked that are not for this API. */
  hidden?: readonly string[];
  /** What is given in the body, where edge makes of it what the operation is asked. */
  given?: z.ZodObject;
  status?: 200 | 201;
  /** True: a 409 for what is there already, or cannot be as things are; absent: where accounts does it. */
  mayConflict?: boolean;
  /**
   * What is written down before it is done in another service, or before what people wrote is read, as often
   * as it is asked. Absent: accounts does it, which has a log, and has it done once under an idempotency key.
   * Null: it changes nothing.
   */
  act?: (asked: Readonly<Record<string, unknown>>) => AdminAct | null;
  /** For how long its answer is waited for, milliseconds; absent: as for pages of the dashboard. */
  timeoutMs?: number;
  /** How large its body may be; absent: as large as those of the dashboard. */
  mostBytes?: number;
}

/**
 * A route of the admin API: all there is to know of it, for who serves, documents, tests and asks it.
 * `query` and `body` are what the operation is asked besides what stands in the path; of a route one of them
 * is empty.
 */
export interface AdminRoute extends Omit<Definition, 'list' | 'hidden' | 'status' | 'also' | 'given'> {
  list: string | null;
  status: 200 | 201;
  /** The subjects of the operations that it answers. */
  subjects: readonly string[];
  params: readonly string[];
  /** The shape of what stands in the path. */
  named: z.ZodObject;
  query: z.ZodObject;
  body: z.ZodObject;
  answer: z.ZodType;
}

/** A route of the admin API that edge answers by itself: no service is asked, so that NATS is no way to it. */
export interface EdgeRoute<Body extends z.ZodObject, Answer extends z.ZodType> {
  method: 'GET' | 'POST';
  /** Below /api/admin/v1. */
  path: string;
  scope: AdminScope;
  summary: string;
  body: Body;
  answer: Answer;
}

/** Who asks is told by the token, by these names. */
const actors = ['actor', 'by'];

/** Declares a route, with the shapes of its operation. */
export function adminRoute({ list, hidden = [], also = [], given, status, ...definition }: Definition): AdminRoute {
  const { method, path, operation } = definition;
  const params = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const apart = new Set([...actors, ...params, ...hidden]);
  const members = Object.entries(operation.request.shape);
  const those = (isOne: (name: string) => boolean) =>
    z.strictObject(Object.fromEntries(members.filter(([name]) => isOne(name))));
  const asked = those((name) => !apart.has(name));
  return {
    ...definition,
    list: list ?? null,
    status: status ?? 200,
    subjects: [operation, ...also].map(({ subject }) => subject),
    params,
    named: those((name) => params.includes(name)),
    query: method === 'GET' ? asked : z.strictObject({}),
    body: given ?? (method === 'GET' ? z.strictObject({}) : asked),
    answer: list === undefined ? operation.reply : pageOf(operation.reply, list),
  };
}

/**
 * One page of a list. `next` is the `after` of the next one, null on the last; what else the reply says
 * stands beside it.
 */
function pageOf(reply: z.ZodType, list: string): z.ZodObject {
  const shape: Readonly<Record<string, z.ZodType>> = reply instanceof z.ZodObject ? reply.shape : {};
  const { [list]: data = z.never(), next = z.null(), ...rest } = shape;
  return z.object({ data, has_more: z.boolean(), next, ...rest });
}
