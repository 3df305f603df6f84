import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

/**
 * One request as its caller saw it. Times in milliseconds of one steady clock. `retryAfterS` null: not
 * refused. `tokens`: what an answer says that it used; 0: it is none of a model. `hasWaited`: it was sent
 * after exactly the Retry-After of the refusal before it.
 */
export interface Visit {
  sentAt: number;
  answeredAt: number;
  status: number;
  tokens: number;
  retryAfterS: number | null;
  hasWaited: boolean;
}

const model = 'openai/gpt-5.4-mini';
/** Of so many requests one is a generation, the others look a model up: both count against the same limit. */
const generationEvery = 8;
const usage = z.object({ usage: z.object({ total_tokens: z.number() }) });

/** Asks a gateway under one key, at all its edges in turn, and keeps a log. */
export class LimitedClient {
  readonly visits: Visit[] = [];
  private readonly running = new Set<Promise<Visit>>();
  private sent = 0;

  constructor(
    private readonly baseUrls: readonly string[],
    private readonly apiKey: string,
    /** All of them are generations: nothing else takes tokens. */
    private readonly takesTokens = false,
  ) {}

  /** Sends one request and waits for its answer. */
  ask(hasWaited = false): Promise<Visit> {
    const visit = this.visit(this.sent++, hasWaited).then((seen) => {
      this.visits.push(seen);
      this.running.delete(visit);
      return seen;
    });
    this.running.add(visit);
    return visit;
  }

  /** Sends requests at a steady pace, without waiting for their answers, until `endsAt`. */
  async pace(perMinute: number, endsAt: number): Promise<void> {
    const beganAt = performance.now();
    for (let number = 0; ; number++) {
      const dueAt = beganAt + (number * 60_000) / perMinute;
      if (dueAt >= endsAt) break;
      await delay(Math.max(0, dueAt - performance.now()));
      void this.ask();
    }
    await this.finish();
  }

  /** Waits for all answers. */
  async finish(): Promise<void> {
    await Promise.all(this.running);
  }

  private async visit(number: number, hasWaited: boolean): Promise<Visit> {
    const headers = { authorization: `Bearer ${this.apiKey}`, 'content-type': 'application/json' };
    const baseUrl = this.baseUrls[number % this.baseUrls.length] ?? '';
    const body = JSON.stringify({
      model,
      messages: [{ role: 'user', content: 'Hi. [[sandbox: tokens=3]]' }],
      max_tokens: 3,
    });
    const sentAt = performance.now();
    const response = await (this.takesTokens || number % generationEvery === 0
      ? fetch(`${baseUrl}/v1/chat/completions`, { method: 'POST', headers, body })
      : fetch(`${baseUrl}/v1/models/${model}`, { headers }));
    const answeredAt = performance.now();
    const text = await response.text();
    const tokens = usage.safeParse(readJson(text)).data?.usage.total_tokens ?? 0;
    const retryAfter = response.headers.get('retry-after');
    const retryAfterS = response.status === 429 && retryAfter !== null ? Number(retryAfter) : null;
    return { sentAt, answeredAt, status: response.status, tokens, retryAfterS, hasWaited };
  }
}

/** Undefined: it is none. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
