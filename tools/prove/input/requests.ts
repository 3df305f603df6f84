import type { Chance } from '@tollgate/testing';
import type { Endpoint } from './endpoints';
import { goodRequests } from './good-requests';
import { hostileBodies, hostileHeaders, hostileSegments, hostileValues } from './hostile';
import { SchemaSampler } from './schema-sample';
import type { Schema } from './schema-sample';

/** A request to be sent. `body` null: none. */
export interface HostileRequest {
  method: string;
  target: string;
  isDashboard: boolean;
  headers: Record<string, string>;
  body: string | Buffer | null;
}

/**
 * What exists in the gateway that is asked: ids and names that requests may hold, and a model of every
 * dialect.
 */
export interface Surroundings {
  words: readonly string[];
  models: readonly string[];
}

/** Addresses and methods that no document tells. */
const elsewhere: [string, string][] = [
  ...[
    '/',
    '/v1',
    '/v1/',
    '/api',
    '/docs/x',
    '/assets/../x',
    '/livez',
    '/readyz',
    '/openapi.json',
    '/v2/models',
    '//',
    '/%',
  ].map((path): [string, string] => ['GET', path]),
  ...['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'POST', 'TRACE'].flatMap((method): [string, string][] => [
    [method, '/v1/chat/completions'],
    [method, '/v1/models'],
    [method, '/api/keys'],
    [method, '/none'],
  ]),
];

/** Makes hostile requests without end, to every endpoint alike. */
export class RequestMaker {
  private readonly sampler: SchemaSampler;

  constructor(
    private readonly endpoints: readonly Endpoint[],
    shapes: Record<string, Schema>,
    private readonly surroundings: Surroundings,
    private readonly chance: Chance,
  ) {
    this.sampler = new SchemaSampler(chance, shapes, [...surroundings.words, ...surroundings.models]);
  }

  next(): HostileRequest {
    const { chance } = this;
    const headers = { 'content-type': 'application/json', ...(chance.happens(0.2) ? chance.pick(hostileHeaders) : {}) };
    if (chance.happens(0.03)) {
      const [method, target] = chance.pick(elsewhere);
      const body = method === 'GET' || method === 'HEAD' || method === 'TRACE' ? null : chance.pick(hostileBodies);
      return { method, target, isDashboard: target.startsWith('/api/'), headers, body };
    }
    const endpoint = chance.pick(this.endpoints);
    const body = endpoint.body === null ? null : this.body(endpoint.path, endpoint.body);
    return { method: endpoint.method, target: this.target(endpoint), isDashboard: endpoint.isDashboard, headers, body };
  }

  private target({ path, query }: Endpoint): string {
    const filled = path.replace(/\{\w+\}/g, () => this.segment());
    const pairs = query
      .filter(() => this.chance.happens(0.5))
      .map(({ name, schema }) => {
        const sample = this.sampler.sample(schema);
        const text = typeof sample === 'string' ? sample.slice(0, 2_000) : JSON.stringify(sample).slice(0, 2_000);
        return `${name}=${this.chance.happens(0.1) ? this.chance.pick(hostileSegments) : encodeLoosely(text)}`;
      });
    // Undecodable bytes come from the hostile parts; the client library itself sends no other.
    return encodeUnsendable(pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled);
  }

  private segment(): string {
    const { words } = this.surroundings;
    return this.chance.happens(0.4) ? encodeLoosely(this.chance.pick(words)) : this.chance.pick(hostileSegments);
  }

  private body(path: string, schema: Schema): string | Buffer {
    const { chance } = this;
    if (chance.happens(0.1)) return chance.pick(hostileBodies);
    const good = goodRequests[path];
    if (!good || chance.happens(0.3)) return JSON.stringify(this.sampler.sample(schema)) ?? '';
    return (
      JSON.stringify(mutated({ model: chance.pick(this.surroundings.models), ...chance.pick(good) }, chance)) ?? ''
    );
  }
}

function encodeLoosely(text: string): string {
  return encodeURIComponent(wellFormed(text));
}

/** Percent-encodes what no client can send in a request line. */
function encodeUnsendable(target: string): string {
  return target.replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(wellFormed(character)));
}

/** Half characters, which have no encoding, become U+FFFD. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

type Holder = Record<string, unknown> | unknown[];

const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null;

/** Every object and list inside a value, with the value itself. */
function holdersIn(value: unknown): Holder[] {
  return isHolder(value) ? [value, ...Object.values(value).flatMap(holdersIn)] : [];
}

/** A copy of a good request with one to three places spoiled: replaced, removed, doubled, moved or added. */
function mutated(good: object, chance: Chance): unknown {
  const copy: unknown = structuredClone(good);
  for (let count = 1 + chance.below(3); count > 0; count--) spoil(chance.pick(holdersIn(copy)), chance);
  return copy;
}

function spoil(holder: Holder, chance: Chance): void {
  const value = structuredClone(chance.pick(hostileValues));
  if (Array.isArray(holder)) return spoilList(holder, value, chance);
  const names = Object.keys(holder);
  const name = names.length > 0 ? chance.pick(names) : 'extra';
  const act = chance.below(4);
  if (act === 0) Reflect.deleteProperty(holder, name);
  else if (act === 1) holder[chance.pick(['extra', 'type', 'role', 'content', 'model', 'toString'])] = value;
  else if (act === 2) holder[name] = [holder[name], value];
  else holder[name] = value;
}

function spoilList(list: unknown[], value: unknown, chance: Chance): void {
  const index = chance.below(list.length + 1);
  const act = chance.below(4);
  if (act === 0) list.splice(index, 1);
  else if (act === 1) list.splice(index, 0, value);
  else if (act === 2 && isHolder(list[index])) list.splice(index, 0, structuredClone(list[index]));
  else list[index] = value;
}
