import { ControlError, instanceList, type Operation } from '@tollgate/contracts';
import { administrationOperations } from '@tollgate/contracts/accounts';
import { adminRouteOf, type AdminRoute } from '@tollgate/contracts/edge';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { exitCodes, Forbidden, NotInAdminApi, Refusal } from './failure';
import type { Gateway } from './gateway';

const variables = z.object({ TOLLGATE_URL: z.string().optional(), TOLLGATE_TOKEN: z.string().optional() });
const refusal = z.object({ error: z.object({ message: z.string() }) });
const members = z.record(z.string(), z.unknown());
/** The admin API itself waits 4.5 s for a service, and longer for a provider. */
const patienceMs = 100_000;
const adminBase = '/api/admin/v1';

/** Where the admin API of a gateway is, and who asks. */
interface RemoteGateway {
  /** Without a slash at its end. */
  url: string;
  token: string;
}

/**
 * The gateway that TOLLGATE_URL and TOLLGATE_TOKEN name; null: they name none.
 * @throws Refusal where one of both is missing, or the address is none to which a token may go.
 */
export function remoteGateway(environment: NodeJS.ProcessEnv): RemoteGateway | null {
  const { TOLLGATE_URL: address, TOLLGATE_TOKEN: token } = variables.parse(environment);
  if (!address && !token) return null;
  if (!address) throw new Refusal('TOLLGATE_TOKEN is set, but not TOLLGATE_URL: set it to the address of the gateway.');
  if (!token) throw new Refusal('TOLLGATE_URL is set, but not TOLLGATE_TOKEN: make one with tollgate tokens create.');
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new Refusal(`TOLLGATE_URL is no address such as https://gateway.example: ${address}`);
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new Refusal('TOLLGATE_URL must begin with https:// : the token would be readable on its way.');
  return { url: url.href.replace(/\/+$/, ''), token };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Asks the admin API of a gateway for what else is asked over NATS. Notices are not heard so. */
export function httpGateway({ url, token }: RemoteGateway): Gateway {
  const askEdge: Gateway['askEdge'] = async (route, body) => {
    const asked = contentOf({ method: route.method, params: [] }, members.parse(body), token);
    const answer = await send(`${url}${adminBase}${route.path}`, { method: route.method, ...asked });
    return understood(route.path, route.answer.safeParse(answer));
  };
  return {
    call: async (operation, request) => {
      // The gateway itself writes down what is asked in this way.
      if (operation.subject === administrationOperations.recordAct.subject) return operation.reply.parse({});
      const route = adminRouteOf(operation.subject);
      if (!route) throw new NotInAdminApi(operation.subject);
      const { actor: _, by: __, ...asked } = members.parse(request);
      const answer = await send(`${url}${adminBase}${addressOf(route, asked)}`, {
        method: route.method,
        ...contentOf(route, asked, token),
      });
      return replyOf(operation, route.list, answer);
    },
    askEdge,
    hear: (subject) => Promise.reject(new NotInAdminApi(subject)),
    instances: async () => (await askEdge(instanceList, {})).data,
  };
}

type Members = Readonly<Record<string, unknown>>;

/** Path and query. A text cannot say null, which is what a member is that is absent. */
function addressOf({ method, path, params }: AdminRoute, asked: Members): string {
  const there = path.replace(/:(\w+)/g, (_match, name: string) => encodeURIComponent(String(asked[name])));
  if (method !== 'GET') return there;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked))
    if (value !== undefined && value !== null && !params.includes(name))
      query.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return `${there}?${query.toString()}`;
}

/** What is asked twice on its way is done once. */
function contentOf(
  { method, params }: Pick<AdminRoute, 'method' | 'params'>,
  asked: Members,
  token: string,
): RequestInit {
  const authorization = `Bearer ${token}`;
  if (method === 'GET') return { headers: { authorization } };
  const body = Object.fromEntries(Object.entries(asked).filter(([name]) => !params.includes(name)));
  return {
    headers: { authorization, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: JSON.stringify(body),
  };
}

function replyOf<Reply extends z.ZodType>(
  { subject, reply }: Pick<Operation<z.ZodType, Reply>, 'subject' | 'reply'>,
  list: string | null,
  answer: Members,
): z.output<Reply> {
  const { data, has_more: _, ...rest } = answer;
  return understood(subject, reply.safeParse(list === null ? answer : { ...rest, [list]: data }));
}

/** @throws ControlError for an answer to `what` that is another than it must be. */
function understood<Told>(what: string, read: z.ZodSafeParseResult<Told>): Told {
  if (read.success) return read.data;
  throw new ControlError('internal', `The gateway's answer to ${what} is not understood: is it of another release?`);
}

/** A token may ask so often a minute: who has much to do waits as long as it is told, so many times. */
const mostWaits = 20;
const longestWaitS = 60;

/** @throws Refusal where it does not answer. */
async function answerTo(url: string, init: RequestInit): Promise<Response> {
  for (let waits = 0; ; waits++) {
    const response = await fetched(url, init);
    const waitS = Number(response.headers.get('retry-after') ?? Number.NaN);
    if (response.status !== 429 || waits === mostWaits || !(waitS <= longestWaitS)) return response;
    await response.body?.cancel();
    await delay(waitS * 1_000);
  }
}

async function fetched(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(patienceMs) });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Refusal(
      `The gateway at ${new URL(url).origin} does not answer (${String(cause)}).`,
      exitCodes.unavailable,
    );
  }
}

/** @throws ControlError, Refusal what the gateway refuses with, or that it does not answer, or is none. */
async function send(url: string, init: RequestInit): Promise<Members> {
  const { origin } = new URL(url);
  const response = await answerTo(url, init);
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) {
    const answer = members.safeParse(body);
    if (answer.success) return answer.data;
    const type = response.headers.get('content-type') ?? 'of no type';
    throw new Refusal(
      `${origin} answered with no JSON object (${type}): is TOLLGATE_URL the address of a Tollgate gateway?`,
    );
  }
  const told = refusal.safeParse(body);
  const message = told.success && !isNowhere(told.data) ? told.data.error.message : noAdminApi(url, response);
  if (response.status === 403) throw new Forbidden(message);
  throw response.status >= 500 ? new ControlError('unavailable', message) : new Refusal(message);
}

/** A gateway says so of addresses that it does not have: the path in TOLLGATE_URL is wrong, or it is older. */
function isNowhere({ error }: z.output<typeof refusal>): boolean {
  return error.message.startsWith('There is nothing at this address');
}

/** What answered is no gateway, or has no admin API there. */
function noAdminApi(url: string, { status }: Response): string {
  const base = url.slice(0, url.lastIndexOf(adminBase));
  if (status >= 500)
    return `${base} answered with status ${status}: the gateway behind it may be away. Try again soon.`;
  return (
    `${base} answered with status ${status}, and not as the admin API of a Tollgate gateway: TOLLGATE_URL must be its address, ` +
    `with no path behind it but one that a proxy has it under. Is it, and is the gateway of this release (${base}${adminBase})?`
  );
}
