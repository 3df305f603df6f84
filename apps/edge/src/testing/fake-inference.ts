import { usageEventOf, noUsage } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { generatesNothing } from '@tollgate/contracts/inference';
import { surfaces } from '@tollgate/dialects/surface';
import { NatsGenerationServer } from '@tollgate/messaging';
import type { GenerationCall } from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { setTimeout as sleep } from 'node:timers/promises';
import { surfaceSamples } from './surface-samples';

/**
 * How the fake answers: `chunks` pieces of text, `pauseMs` apart, after `waitMs`; `failAfter` chunks it fails
 * (null: never); `simulated`: as the sandbox; `answer`: the text of a plain answer (null: of its surface's
 * sample); `fallback`: the model that answers in place of the one that is asked (null: none).
 */
export interface Behaviour {
  chunks: number;
  pauseMs: number;
  waitMs: number;
  failAfter: number | null;
  chunkBytes: number;
  simulated: boolean;
  answer: string | null;
  fallback: string | null;
}

/** An inference instance that answers by itself, over the real hop, and notes what it saw. */
export class FakeInference {
  readonly behaviour: Behaviour = {
    chunks: 3,
    pauseMs: 0,
    waitMs: 0,
    failAfter: null,
    chunkBytes: 0,
    simulated: true,
    answer: null,
    fallback: null,
  };
  readonly calls: GenerationCall[] = [];
  /** Request ids whose generation was stopped, with the reason and when (performance.now). */
  readonly stops = new Map<string, { reason: unknown; atMs: number }>();
  bytesWritten = 0;
  /** How many answers wait for their callers to take more. */
  private waiting = 0;
  private held: Promise<void> | null = null;
  private readonly server: NatsGenerationServer;

  constructor(private readonly connection: NatsConnection) {
    this.server = new NatsGenerationServer(connection, { pingMs: 500, logger: createLogger('inference', 'silent') });
  }

  /** Answers nobody from now on, until what it returns is called. */
  hold(): () => void {
    let letGo = (): void => undefined;
    this.held = new Promise((resolve) => (letGo = resolve));
    return () => {
      this.held = null;
      letGo();
    };
  }

  async start(): Promise<void> {
    const names = surfaces.map(({ name }) => name);
    await this.server.serve(names, 1_000, (call) => this.answer(call));
  }

  async stop(): Promise<void> {
    await this.server.drain(100);
  }

  /** Resolves when an answer waits for its caller to take more, and nothing was written for half a second. */
  async isHeldBack(): Promise<void> {
    for (let [looks, before] = [0, -1]; looks < 50;) {
      await sleep(10);
      looks = this.waiting > 0 && this.bytesWritten === before ? looks + 1 : 0;
      before = this.bytesWritten;
    }
  }

  /** As a crash: the connection is closed without a word. */
  async vanish(): Promise<void> {
    await this.connection.close();
  }

  private async answer(call: GenerationCall): Promise<void> {
    this.calls.push(call);
    call.signal.addEventListener('abort', () => {
      this.stops.set(call.request.requestId, { reason: call.signal.reason, atMs: performance.now() });
    });
    if (generatesNothing(call.request.kind)) return this.count(call);
    await call.attempt({ number: 1, model: call.request.model, provider: 'openai', deployment: 'fake' }, () => 0);
    try {
      await this.held;
      await this.pause(call, this.behaviour.waitMs);
      if (call.request.stream) await this.stream(call);
      else await this.whole(call);
    } catch {
      const failure = { code: 'cancelled', status: 499, message: 'stopped', retryAfterS: null } as const;
      call.fail(failure, usageEvent(call, 'cancelled'));
    }
  }

  private headersOf(call: GenerationCall): Record<string, string> {
    const told = { ...headers, 'x-gateway-model': this.behaviour.fallback ?? call.request.model };
    return this.behaviour.simulated ? { ...told, 'x-gateway-sandbox': 'true' } : told;
  }

  /** As inference: no attempt, no usage. */
  private count(call: GenerationCall): void {
    call.head({ status: 200, headers: { ...this.headersOf(call), 'content-type': 'application/json' } });
    call.write(Buffer.from('{"input_tokens":12}'));
    call.end(null);
  }

  private async whole(call: GenerationCall): Promise<void> {
    if (this.behaviour.failAfter === 0) return this.fail(call);
    call.head({ status: 200, headers: { ...this.headersOf(call), 'content-type': 'application/json' } });
    call.write(Buffer.from(this.behaviour.answer ?? JSON.stringify(surfaceSamples[call.request.surface].answer)));
    call.end(usageEvent(call, 'completed'));
  }

  private async stream(call: GenerationCall): Promise<void> {
    const { chunks, pauseMs, failAfter, chunkBytes } = this.behaviour;
    const sample = surfaceSamples[call.request.surface];
    for (let index = 0; index < chunks; index++) {
      if (index === failAfter) return this.fail(call);
      if (index === 0)
        call.head({ status: 200, headers: { ...this.headersOf(call), 'content-type': 'text/event-stream' } });
      const start = index === 0 ? sample.streamStart : '';
      const bytes = Buffer.from(start + sample.streamPiece(`t${index} ${'x'.repeat(chunkBytes)}`));
      this.bytesWritten += bytes.length;
      if (!call.write(bytes)) await this.drained(call);
      await this.pause(call, pauseMs);
    }
    call.write(Buffer.from(sample.streamEnd));
    call.end(usageEvent(call, 'completed'));
  }

  private async drained(call: GenerationCall): Promise<void> {
    this.waiting += 1;
    await call.drained().finally(() => (this.waiting -= 1));
  }

  private fail(call: GenerationCall): void {
    call.fail(
      { code: 'upstream', status: 502, message: 'openai answered 500', retryAfterS: null },
      usageEvent(call, 'failed'),
    );
  }

  private async pause(call: GenerationCall, pauseMs: number): Promise<void> {
    call.signal.throwIfAborted();
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: call.signal });
  }
}

const headers = {
  'x-gateway-provider': 'openai',
  'x-gateway-attempts': '1',
  'set-cookie': 'upstream=secret',
};

/** 10 tokens in and 20 out, whatever happened. */
function usageEvent({ request }: GenerationCall, state: UsageEvent['state']): UsageEvent {
  return usageEventOf(request, {
    model: request.model,
    state,
    status: 200,
    estimated: false,
    usage: { ...noUsage, input: 10, output: 20 },
    attempts: [],
    firstTokenAt: null,
    endedAt: Date.now(),
    lease: request.lease,
    reportedBy: 'inference',
  });
}
