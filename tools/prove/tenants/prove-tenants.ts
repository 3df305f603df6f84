import { accountsOperations } from '@tollgate/contracts/accounts';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { Stack } from '../../stack/stack';
import { workspaceRoot } from '../../stack/workspace-root';
import { readEndpoints } from '../input/endpoints';
import type { Endpoint } from '../input/endpoints';
import { Person } from '../web/person';

export interface TenantProof {
  requests: number;
  /**
   * Answers to one tenant that hold anything of the other, or that differ between another's id and one that
   * nobody has.
   */
  leaks: string[];
}

/** What a stack needs for the proof: requests and answers are logged. */
export const tenantsEnvironment = { TOLLGATE_CONFIG: join(workspaceRoot, 'tools/prove/tenants/tollgate.yaml') };

const password = 'a password for the proof of tenants';
const model = 'openai/gpt-5.4-mini';
const summary = z.object({ key: z.object({ id: z.string(), display: z.string() }), apiKey: z.string() });
const me = z.object({ user: z.object({ id: z.string() }) });
const sessions = z.object({ data: z.array(z.object({ id: z.string() })) });
const requests = z.object({ data: z.array(z.object({ id: z.string() }).loose()) });

/**
 * Somebody with an account, a key and some usage. `ids` name what is theirs; `marks` stand in what is theirs
 * and nowhere else.
 */
interface Tenant {
  person: Person;
  apiKey: string;
  /** Of a request that was logged. */
  eventId: string;
  ids: string[];
  /** What an account, a key and a person are asked for by, where a member or header is named so. */
  named: Record<Common, string>;
  marks: string[];
}

/** What every endpoint is asked with, whether it takes it or not. */
const common = ['accountId', 'keyId', 'personId'] as const;
type Common = (typeof common)[number];

/** What each endpoint needs beside an id, so that it comes as far as asking whose that is. */
const needed = {
  query: { startAt: String(Date.now() - 86_400_000), endAt: String(Date.now() + 3_600_000), step: 'hour' },
  body: {
    ...{ name: 'probe', overlapS: 60, status: 'suspended', role: 'administrator', rpm: 1, model, max_tokens: 5 },
    ...{ messages: [{ role: 'user', content: 'Hi' }], input: 'Hi', enabled: true, logContent: true },
  },
} as const;
/** Requests at once. */
const lanes = 8;
const accountHeader = 'header x-account-id';
/** The ids of a key, an account, a request, its event and a kept response. */
const shortIds = 5;

/**
 * Asks everything that one tenant may ask, with ids of another in every place that takes one, both ways.
 * `thorough` false: one way, and only with the ids of a key, an account, a request, its event and a kept
 * response; where an endpoint tells of no such place with the id that it is named for alone, and where it
 * tells that it takes no text with one.
 */
export async function proveTenants(stack: Stack, thorough: boolean): Promise<TenantProof> {
  const [alice, bob] = [await tenant(stack, 'alice'), await tenant(stack, 'bob')];
  const { endpoints } = await readEndpoints(stack.baseUrl);
  const proof: TenantProof = { requests: 0, leaks: [] };
  const there = { own: bob, foreign: alice };
  const back = { own: alice, foreign: bob };
  const probes = (thorough ? [there, back] : [there]).flatMap(({ own, foreign }) =>
    endpoints.filter(isAsked).flatMap((endpoint) =>
      placesOf(endpoint).flatMap((place) =>
        idsAt(place, endpoint, foreign, thorough).map((id) => ({
          reads: endpoint.method === 'GET',
          run: () => probe(endpoint, own, foreign, id, place, proof),
        })),
      ),
    ),
  );
  // What reads first: afterwards there is more of the tenants' own to be read, from one answer to the next.
  for (const reads of [true, false]) {
    const pending = probes.filter((one) => one.reads === reads);
    const lane = async (): Promise<void> => {
      for (let next = pending.pop(); next; next = pending.pop()) await next.run();
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }
  for (const one of [alice, bob]) await stillWorks(stack, one, proof);
  return proof;
}

/** Signing out would end the proof; signing up and in belongs to nobody, and tries of passwords must wait. */
function isAsked({ path }: Endpoint): boolean {
  return !/^\/api\/auth\/(sign-|first-|oidc|forgot|reset|password|second-factor|passkeys?\/|passkey$)|count_tokens/.test(
    path,
  );
}

async function tenant(stack: Stack, name: string): Promise<Tenant> {
  const mark = `${name}mark${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  const email = `${mark}@example.org`;
  const person = await Person.signUp(stack, `${mark} person`, email, password, `${mark} purpose`);
  const { account } = await stack.call(accountsOperations.setAccountStatus, {
    account: email,
    status: 'active',
    plan: 'pro',
  });
  const made = summary.parse(await person.mustPost('/api/keys', { name: `${mark} key`, logContent: true }));
  const requestId = `${mark}.request`;
  const response = await fetch(`${stack.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${made.apiKey}`, 'content-type': 'application/json', 'x-request-id': requestId },
    body: JSON.stringify({ model, user: `${mark} user`, messages: [{ role: 'user', content: `${mark} prompt` }] }),
  });
  if (!response.ok) throw new Error(`A completion was answered ${response.status}: ${await response.text()}`);
  await response.text();
  const eventId = await booked(person);
  await kept(person, eventId, mark);
  const responseId = await stored(stack, made.apiKey, mark);
  const own = sessions.parse(await (await person.ask('GET', '/api/auth/sessions')).json()).data.map(({ id }) => id);
  const { user } = me.parse(await (await person.ask('GET', '/api/auth/me')).json());
  await stack.call(accountsOperations.updateKey, { keyId: made.key.id, rpm: null });
  const ids = [made.key.id, account.id, requestId, eventId, responseId, user.id, ...own];
  return {
    person,
    apiKey: made.apiKey,
    eventId,
    ids: [...ids, email, made.apiKey],
    named: { accountId: account.id, keyId: made.key.id, personId: user.id },
    // The secret of the key, and all else that is this tenant's alone.
    marks: [mark, ...ids, made.apiKey.slice(6, 36)],
  };
}

/** The id of a response that is kept for a tenant. */
async function stored(stack: Stack, apiKey: string, mark: string): Promise<string> {
  const response = await fetch(`${stack.baseUrl}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, user: `${mark} user`, input: `${mark} prompt` }),
  });
  const { id } = z.object({ id: z.string() }).parse(await response.json());
  const kept = await fetch(`${stack.baseUrl}/v1/responses/${id}`, { headers: { authorization: `Bearer ${apiKey}` } });
  // Else its absence for others would prove nothing.
  if (!kept.ok) throw new Error(`The response ${id} was not kept for its own tenant: ${kept.status}.`);
  await kept.arrayBuffer();
  return id;
}

/** The id of the event of a tenant's one request, once metering has booked it. */
async function booked(person: Person): Promise<string> {
  for (const deadline = Date.now() + 30_000; ;) {
    const response = await person.ask(
      'GET',
      `/api/reports/requests?${new URLSearchParams(needed.query).toString().replace(/&step=hour/, '')}`,
    );
    const lines = requests.safeParse(await response.json()).data?.data ?? [];
    const [first] = lines;
    if (first) return first.id;
    if (Date.now() > deadline) throw new Error('The first request of a tenant was not booked within 30 s.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Resolves when a tenant's request was logged. */
async function kept(person: Person, eventId: string, mark: string): Promise<void> {
  for (const deadline = Date.now() + 30_000; ;) {
    const response = await person.ask('GET', `/api/content-log/${eventId}`);
    if ((await response.text()).includes(`${mark} prompt`)) return;
    if (Date.now() > deadline) throw new Error('The first request of a tenant was not logged within 30 s.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** One endpoint with one foreign id in one place; the answer must be that to an id which nobody has. */
async function probe(
  endpoint: Endpoint,
  own: Tenant,
  foreign: Tenant,
  id: string,
  place: string,
  proof: TenantProof,
): Promise<void> {
  const { method, path } = endpoint;
  const ask = async (asked: string): Promise<string> => {
    proof.requests += 1;
    const { status, text } = await send(endpoint, own, asked, place);
    const seen = foreign.marks.filter((mark) => text.replaceAll(asked, '').includes(mark));
    if (seen.length > 0) proof.leaks.push(`${method} ${path} with ${asked} in ${place} shows ${seen.join(', ')}`);
    // What was just made or generated is new each time.
    return method !== 'GET' && status < 300 ? String(status) : `${status} ${comparable(text, asked)}`;
  };
  const [theirs, nobodys] = [await ask(id), await ask(strangerLike(id))];
  if (theirs !== nobodys)
    proof.leaks.push(
      `${method} ${path}: ${id} in ${place}: ${theirs.slice(0, 300)} | nobody's: ${nobodys.slice(0, 300)}`,
    );
}

/** What somebody may call their own things: whoever writes another's id there reads it there again. */
const ownWords = new Set(['name', 'purpose', 'models', 'model', 'metadata', 'user', 'messages', 'input']);

/** Where an id can stand: nowhere, in the address, in a member of the query or of the body, in a header. */
function placesOf({ path, query, body }: Endpoint): string[] {
  const inPath = path.includes('{') ? ['path'] : [];
  // Who administers nothing is refused there before anything is read.
  if (path.startsWith('/api/admin/')) return ['nothing', ...inPath];
  const members = Object.keys(body?.properties ?? {}).filter((name) => !ownWords.has(name));
  return [
    'nothing',
    ...inPath,
    ...[...new Set([...query.map(({ name }) => name), ...common])].map((name) => `query ${name}`),
    ...(body ? [...new Set([...members, ...common])].map((name) => `body ${name}`) : []),
    accountHeader,
  ];
}

/** The ids of another that stand in a place, one after the other. */
function idsAt(place: string, endpoint: Endpoint, { ids, named }: Tenant, thorough: boolean): string[] {
  if (place === 'nothing') return ids.slice(0, 1);
  if (thorough) return ids;
  if (place === accountHeader) return [named.accountId];
  const [kind, name = ''] = place.split(' ');
  if (kind === 'path') return ids.slice(0, shortIds);
  const told = kind === 'query' ? schemaOfQuery(endpoint, name) : schemaOfBody(endpoint, name);
  if (told === undefined) return isCommon(name) ? [named[name]] : ids.slice(0, shortIds);
  return ids.slice(0, takesText(told) ? shortIds : 1);
}
const isCommon = (name: string): name is Common => common.some((one) => one === name);
const schemaOfQuery = ({ query }: Endpoint, name: string) => query.find((one) => one.name === name)?.schema;
const schemaOfBody = ({ body }: Endpoint, name: string) =>
  z.record(z.string(), z.unknown()).parse(body?.properties ?? {})[name];

/** Whether any text may stand there: of others no id is ever looked up. */
function takesText(schema: unknown): boolean {
  const {
    type,
    enum: words,
    const: word,
  } = z.object({ type: z.unknown(), enum: z.unknown(), const: z.unknown() }).partial().parse(schema);
  return words === undefined && word === undefined && !['integer', 'number', 'boolean'].some((one) => one === type);
}

async function send(
  { method, path, query, body: schema, isDashboard }: Endpoint,
  { person, apiKey }: Tenant,
  id: string,
  place: string,
): Promise<{ status: number; text: string }> {
  const [kind, name = ''] = place.split(' ');
  const bodyNames = new Set(Object.keys(schema?.properties ?? {}));
  const address = path.replace(/\{\w+\}/, encodeURIComponent(kind === 'path' ? id : 'none'));
  const required = Object.entries(needed.query).filter(([one]) => query.some((parameter) => parameter.name === one));
  const pairs = { ...Object.fromEntries(required), ...(kind === 'query' ? { [name]: id } : {}) };
  const search = new URLSearchParams(pairs).toString();
  const headers: Record<string, string> = {
    ...(isDashboard ? person.headers(method !== 'GET') : { authorization: `Bearer ${apiKey}` }),
    ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
    ...(kind === 'header' ? { [name]: id } : {}),
  };
  const taken = Object.entries(needed.body).filter(([one]) => bodyNames.has(one));
  const sent = { ...Object.fromEntries(taken), ...(kind === 'body' ? { [name]: id } : {}) };
  const body = method === 'GET' ? null : JSON.stringify(sent);
  const response = await fetch(`${person.baseUrl}${address}${search ? `?${search}` : ''}`, {
    method,
    headers,
    body,
    redirect: 'manual',
  });
  return { status: response.status, text: await response.text() };
}

/** An id of the same form that nobody has. */
function strangerLike(id: string): string {
  if (/^[0-9a-f-]{36}$/.test(id)) return `${id.slice(0, 14)}${randomUUID().slice(14)}`;
  if (id.includes('@')) return `nobody${randomUUID().slice(0, 8)}@example.org`;
  return [...id].map((letter) => (/[0-9]/.test(letter) ? String((Number(letter) + 3) % 10) : letter)).join('');
}

/** An answer without what differs between any two: the id that was asked for, times, and ids of requests. */
function comparable(text: string, id: string): string {
  return text
    .replaceAll(id, '<id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/"(csrfToken|request_id|lastSeenAt|at|startAt|endAt|end|start|retryAfter)":("[^"]*"|\d+)/g, '"$1":0')
    .replace(/\b1[0-9]{12}\b/g, '<time>');
}

async function stillWorks(stack: Stack, { apiKey, person, eventId }: Tenant, proof: TenantProof): Promise<void> {
  const key = await fetch(`${stack.baseUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
  const session = await person.ask('GET', '/api/keys');
  const logged = await person.ask('GET', `/api/content-log/${eventId}`);
  if (!logged.ok) proof.leaks.push(`what was logged of a tenant was removed by the other: ${logged.status}`);
  if (!key.ok || !session.ok) proof.leaks.push(`a tenant was cut off by the other: ${key.status}, ${session.status}`);
}
