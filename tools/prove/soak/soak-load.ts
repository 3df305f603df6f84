import type { CatalogModel } from '@tollgate/contracts/catalog';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Stack } from '../../stack/stack';
import { exchange } from '../exchange';
import { mixedRequest } from '../ledger/mixed-request';
import type { PlannedRequest } from '../planned-request';
import { clientSurfaces } from '../client-surface';
import type { KeyRing } from './key-ring';

/** How many acts ended in which way, by what was done. */
export type Endings = Map<string, Map<string, number>>;

/** Neighbours of a number ask with keys that lie so far from each other. */
const stride = 7;
/** So many names that nobody knows are asked for, so that they are soon all remembered as such. */
const unknownNames = 100;
/**
 * One act in so many replaces a key: what edges remember of a hundred thousand keys, revoked ones too, takes
 * days to fill, and is no leak.
 */
const replaceEvery = 500;
const mostUnderWay = 400;
const patienceMs = 90_000;
const largeKiB = 1_024;
const kept = z.object({ id: z.string() });
const tool = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};

/**
 * The ledger's load (streams, plain answers, callers who leave, faults of the provider, tools, all surfaces),
 * and among 50 acts one each of what `others` tells. What becomes of an act is counted and does not matter:
 * NATS goes away meanwhile.
 */
export class SoakLoad {
  readonly endings: Endings = new Map();
  private number = 0;
  private readonly running = new Set<Promise<void>>();
  private readonly run = `soak-${Date.now().toString(36)}`;

  constructor(
    private readonly stack: Stack,
    private readonly keys: KeyRing,
    private readonly models: readonly CatalogModel[],
    private readonly perSecond: number,
  ) {}

  get sent(): number {
    return this.number;
  }

  /** Asks at a steady pace until then, and waits until nothing is under way. */
  async play(durationMs: number): Promise<void> {
    const startedAt = performance.now();
    for (let sent = 0; ; sent++) {
      const dueAt = startedAt + (sent * 1_000) / this.perSecond;
      if (dueAt - startedAt > durationMs) break;
      if (dueAt > performance.now()) await delay(dueAt - performance.now());
      while (this.running.size >= mostUnderWay) await Promise.race(this.running);
      this.begin();
    }
    await Promise.all(this.running);
  }

  private begin(): void {
    const number = this.number++;
    const other = number % replaceEvery === 0 ? replacing : others[number % 50];
    const [name, act] = other ? [other.name, other.act(this, number)] : ['request', this.mixed(number)];
    const running = act
      .catch((error: unknown) => (error instanceof Error ? error.name : 'no error'))
      .then((ending) => {
        const counts = this.endings.get(name) ?? new Map<string, number>();
        this.endings.set(name, counts.set(ending, (counts.get(ending) ?? 0) + 1));
        this.running.delete(running);
      });
    this.running.add(running);
  }

  private mixed(number: number): Promise<string> {
    return this.planned(number, mixedRequest(number, this.run, this.models));
  }

  async planned(number: number, request: PlannedRequest): Promise<string> {
    const url = this.stack.baseUrl + clientSurfaces[request.surface].path;
    return (await exchange(url, this.keys.key(number * stride), request)).state;
  }

  /** A plain request of the chat surface with this prompt. */
  plain(number: number, prompt: string, more: Partial<PlannedRequest> = {}): PlannedRequest {
    return {
      ...{ id: `${this.run}-${number}`, kind: 'plain', surface: 'openai-chat', model: this.models[0]?.id ?? '' },
      ...{ stream: false, prompt, abortAfterPieces: null, abortAfterMs: null },
      ...more,
    };
  }

  async ask(apiKey: string, method: string, path: string, body?: object): Promise<Response> {
    return fetch(this.stack.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patienceMs),
    });
  }

  /** Keeps an answer, reads it, goes on from it, and removes every second. */
  async keepAndGoOn(number: number): Promise<string> {
    const apiKey = this.keys.key(number * stride);
    const model = this.models[0]?.id;
    const input = `Keep ${number}. [[sandbox: tokens=20]]`;
    const { id } = kept.parse(await (await this.ask(apiKey, 'POST', '/v1/responses', { model, input })).json());
    await (await this.ask(apiKey, 'GET', `/v1/responses/${id}`)).arrayBuffer();
    const next = await this.ask(apiKey, 'POST', '/v1/responses', { model, input, previous_response_id: id });
    await next.arrayBuffer();
    if (number % 100 < 50) await (await this.ask(apiKey, 'DELETE', `/v1/responses/${id}`)).arrayBuffer();
    return String(next.status);
  }

  /** Replaces a key, and asks with the one that is revoked. */
  async replaceKey(): Promise<string> {
    const revoked = await this.keys.replaceOldest();
    return this.read(revoked, '/v1/models');
  }

  async read(apiKey: string, path: string): Promise<string> {
    const response = await this.ask(apiKey, 'GET', path);
    await response.arrayBuffer();
    return String(response.status);
  }

  reports(number: number): Promise<string> {
    const apiKey = this.keys.key(number * stride);
    return this.read(apiKey, number % 100 < 50 ? '/api/metrics?period=hour' : '/v1/usage');
  }
}

interface Other {
  name: string;
  act(load: SoakLoad, number: number): Promise<string>;
}

const replacing: Other = { name: 'key replaced', act: (load) => load.replaceKey() };

/** By their place among 50. */
const others: Readonly<Record<number, Other>> = {
  4: { name: 'kept response', act: (load, number) => load.keepAndGoOn(number) },
  10: {
    name: 'unknown key',
    act: (load, number) => load.read(`sk-tg-${Math.floor(number / 50) % unknownNames}`, '/v1/models'),
  },
  14: {
    name: 'tool',
    act: (load, number) => {
      const prompt = 'What is the weather? [[sandbox: tokens=12]]';
      const members = { tools: [tool], tool_choice: 'required' };
      return load.planned(number, load.plain(number, prompt, { stream: true, beside: { members, headers: {} } }));
    },
  },
  20: {
    name: 'unknown model',
    act: (load, number) =>
      load.planned(
        number,
        load.plain(number, 'Hi', { model: `nobody/model-${Math.floor(number / 50) % unknownNames}` }),
      ),
  },
  29: {
    name: 'large body',
    act: (load, number) =>
      load.planned(number, load.plain(number, `${'so '.repeat((largeKiB * 1_024) / 3)} [[sandbox: tokens=12]]`)),
  },
  34: {
    name: 'large answer',
    act: (load, number) => load.planned(number, load.plain(number, `Fill. [[sandbox: tokens=12 pad_kib=${largeKiB}]]`)),
  },
  40: {
    name: 'long stream',
    act: (load, number) => {
      const controls = `[[sandbox: tokens=${500 + (number % 1_500)}]]`;
      return load.planned(number, load.plain(number, `Go on. ${controls}`, { kind: 'stream', stream: true }));
    },
  },
  44: { name: 'report', act: (load, number) => load.reports(number) },
};
