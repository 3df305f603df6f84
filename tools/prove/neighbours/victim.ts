import { setTimeout as delay } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { percentiles } from '../../bench/percentiles';
import { StreamReader } from '../stream-reader';
import { whatBroke } from '../what-broke';
import { clientSurfaces } from '../client-surface';

/**
 * One answer as the victim saw it. `route`: provider and attempts; null where no head came. `problem` null:
 * it was whole.
 */
interface Seen {
  model: string;
  route: string | null;
  problem: string | null;
  tookMs: number;
}

/** What a while was like for the victim. */
export interface VictimRound {
  requests: number;
  /** How often something went wrong, by what. */
  failures: Record<string, number>;
  /** How often an answer came by another route than usual. */
  rerouted: number;
  /** Which ones those were, each once: `model: usual route, came by …`. */
  otherRoutes?: string[];
  p99Ms: number;
  /** Of requests past the gateway, to the simulated provider itself: what the machine costs. */
  directP99Ms: number;
}

const surface = clientSurfaces['openai-chat'];
/** An answer of twelve tokens that takes longer is none. */
const patienceMs = 10_000;
const directEvery = 2;

/** An ordinary caller: a steady mix of plain and streamed requests to several models. */
export class Victim {
  private readonly agent = new Agent({ connections: 64, pipelining: 1 });
  /** How each model is answered in calm. */
  private readonly routes = new Map<string, string>();

  constructor(
    private readonly baseUrl: string,
    private readonly sandboxUrl: string,
    private readonly apiKey: string,
    private readonly models: readonly string[],
    private readonly perSecond: number,
  ) {}

  /** Learns how each model is answered. @throws Error when one is not */
  async learn(): Promise<void> {
    for (const model of this.models) {
      const { route, problem } = await this.ask(model, false);
      if (problem !== null || route === null) throw new Error(`${model} is not answered in calm: ${problem}`);
      this.routes.set(model, route);
    }
  }

  /** Asks at a steady pace for so long, and waits for all answers. */
  async play(durationMs: number): Promise<VictimRound> {
    const startedAt = performance.now();
    const asked: Promise<Seen>[] = [];
    const direct: Promise<number>[] = [];
    for (let number = 0; (number * 1_000) / this.perSecond < durationMs; number++) {
      const dueAt = startedAt + (number * 1_000) / this.perSecond;
      if (dueAt > performance.now()) await delay(dueAt - performance.now());
      asked.push(this.ask(this.models[number % this.models.length] ?? '', number % 2 === 0));
      if (number % directEvery === 0) direct.push(this.askDirectly(number % 4 === 0));
    }
    const seen = await Promise.all(asked);
    const failures: Record<string, number> = {};
    for (const { problem } of seen) if (problem !== null) failures[problem] = (failures[problem] ?? 0) + 1;
    const others = seen.filter(({ model, route }) => route !== null && route !== this.routes.get(model));
    return {
      requests: seen.length,
      failures,
      rerouted: others.length,
      otherRoutes: [
        ...new Set(others.map(({ model, route }) => `${model} came by ${route} in place of ${this.routes.get(model)}`)),
      ],
      p99Ms: percentiles(seen.map(({ tookMs }) => tookMs)).p99,
      directP99Ms: percentiles(await Promise.all(direct)).p99,
    };
  }

  /** Whether so many requests in turn are answered as in calm. */
  async isWell(times = 6): Promise<boolean> {
    for (let number = 0; number < times; number++) {
      const { model, route, problem } = await this.ask(
        this.models[number % this.models.length] ?? '',
        number % 2 === 0,
      );
      if (problem !== null || route !== this.routes.get(model)) return false;
    }
    return true;
  }

  async stop(): Promise<void> {
    await this.agent.destroy();
  }

  private async ask(model: string, stream: boolean): Promise<Seen> {
    const startedAt = performance.now();
    let route: string | null = null;
    let problem: string | null;
    try {
      const response = await this.send(this.baseUrl + surface.path, model, stream);
      const [provider, attempts] = ['x-gateway-provider', 'x-gateway-attempts'].map((name) =>
        response.headers.get(name),
      );
      route = `${provider}, ${attempts}`;
      problem = await problemOf(response, stream);
    } catch (error) {
      problem = `no answer: ${whatBroke(error)}`;
    }
    // A refusal tells no provider, so it is no other route.
    return { model, route: problem === null ? route : null, problem, tookMs: performance.now() - startedAt };
  }

  private async askDirectly(stream: boolean): Promise<number> {
    const startedAt = performance.now();
    const response = await this.send(`${this.sandboxUrl}/openai-chat/chat/completions`, 'control', stream).catch(
      () => null,
    );
    await response?.text().catch(() => '');
    return performance.now() - startedAt;
  }

  private send(url: string, model: string, stream: boolean) {
    return fetch(url, {
      method: 'POST',
      dispatcher: this.agent,
      headers: { authorization: `Bearer ${this.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(surface.body(model, 'Steady on. [[sandbox: tokens=12]]', stream)),
      signal: AbortSignal.timeout(patienceMs),
    });
  }
}

/** What is wrong with an answer; null: it is whole. */
async function problemOf(response: Awaited<ReturnType<typeof fetch>>, stream: boolean): Promise<string | null> {
  if (!response.ok) {
    const text = await response.text();
    const [, message = text.slice(0, 160)] = /"message":"([^"]*)"/.exec(text) ?? [];
    return `${response.status}: ${message}`;
  }
  if (!stream) return surface.textOf(await response.json()) === '' ? 'an empty answer' : null;
  const reader = new StreamReader(surface);
  for await (const bytes of response.body ?? []) if (bytes instanceof Uint8Array) reader.read(bytes);
  if (reader.error !== null) return `told in the stream: ${reader.error}`;
  return reader.done && reader.content !== '' ? null : 'a stream that just ended';
}
