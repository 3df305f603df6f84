import { Inject, Injectable } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import type { CallerKey, GatewayErrorStatus } from '@tollgate/contracts';
import { TurnsByKey } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { LOGGER } from '../settings';
import type { Operation } from './operations';
import { sentElsewhere } from './sent-request';
import type { SentFacts, SentRequest } from './sent-request';

/** A body to be parsed, for the operation at this path. Its memory goes to the thread, and comes back with the answer: nothing is copied. */
export interface LargeBodyJob {
  readonly path: string;
  readonly memory: ArrayBuffer;
  readonly quotaTokens: number | null;
}

/** What became of it: facts of the body in `memory`, a refusal of the caller's, or a fault of ours. */
export interface LargeBodyAnswer {
  readonly memory: ArrayBuffer;
  readonly facts?: SentFacts;
  readonly refusal?: { readonly status: GatewayErrorStatus; readonly message: string };
  readonly fault?: string;
}

/** A body in memory of its own, of a request of this key. */
interface LargeBody {
  readonly operation: Operation;
  readonly key: Pick<CallerKey, 'id' | 'quotaTokens'>;
  readonly bytes: Buffer;
}

interface Waiting {
  readonly job: LargeBodyJob;
  readonly resolve: (answer: LargeBodyAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** A core is left for the event loop where there is one. */
const mostThreads = Math.max(1, Math.min(2, availableParallelism() - 1));
/**
 * A thread that needs more for one body ends, and costs that request alone: the largest body is held twice, in two bytes a character where it is
 * not Latin, and its values take some 50 MB.
 */
const resourceLimits = { maxOldGenerationSizeMb: 256 };
/** A thread that has nothing to do for so long ends: only so does what it built of the last bodies go. */
const idleMs = 20_000;

/** Starts a thread: from the file beside the built program, or from TypeScript, which is what tests run. */
function startThread(): Worker {
  const file = join(__dirname, `large-body.worker${extname(__filename)}`);
  if (!file.endsWith('.ts')) return new Worker(file, { resourceLimits });
  return new Worker(`require('tsx/cjs'); require(${JSON.stringify(file)})`, { resourceLimits, eval: true });
}

/** Parses large bodies on threads of their own, so that nobody else waits for it. A thread is started when it is first needed; keys take turns. */
@Injectable()
export class LargeBodies implements OnModuleDestroy {
  private readonly waiting = new TurnsByKey<Waiting>();
  /** Until when each waits for something to do. */
  private readonly idle = new Map<Worker, NodeJS.Timeout>();
  private readonly threads = new Set<Worker>();

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /**
   * The `bytes` that it is given are empty from then on; those that it returns are the body's, in its surface's own form.
   * @throws GatewayError as `readSent` does; 503 when its thread ended over it.
   */
  async read({ operation, key, bytes }: LargeBody): Promise<{ sent: SentRequest; bytes: Buffer }> {
    const { buffer } = bytes;
    if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== bytes.length)
      throw new TypeError('a large body must lie in memory of its own');
    const job = { path: operation.path, memory: buffer, quotaTokens: key.quotaTokens };
    const { facts, refusal, fault, memory } = await new Promise<LargeBodyAnswer>((resolve, reject) => {
      this.waiting.push(key.id, { job, resolve, reject });
      this.next();
    });
    if (refusal) throw new GatewayError(refusal.status, refusal.message);
    if (!facts) throw new Error(fault ?? 'a thread answered nothing');
    const whole = Buffer.from(memory);
    return { sent: sentElsewhere(facts, whole), bytes: whole };
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([...this.threads].map((thread) => thread.terminate()));
  }

  private next(): void {
    if (this.idle.size === 0 && this.threads.size >= mostThreads) return;
    const waiting = this.waiting.take(() => 'take');
    if (!waiting) return;
    try {
      this.run(this.takeIdle() ?? this.start(), waiting);
    } catch (error) {
      // The system gives no thread: that is this request's trouble alone, and the next one tries again.
      this.logger.error({ err: error }, 'no thread for large bodies could be started');
      waiting.reject(notReadable());
      this.next();
    }
  }

  private takeIdle(): Worker | null {
    for (const [thread, timer] of this.idle) {
      clearTimeout(timer);
      this.idle.delete(thread);
      return thread;
    }
    return null;
  }

  /** No body comes to it any more once it ends. */
  private becomesIdle(thread: Worker): void {
    const end = () => {
      this.idle.delete(thread);
      this.threads.delete(thread);
      void thread.terminate();
    };
    this.idle.set(thread, setTimeout(end, idleMs).unref());
  }

  private run(thread: Worker, { job, resolve, reject }: Waiting): void {
    const over = () => {
      thread.off('message', answered);
      thread.off('exit', ended);
    };
    const answered = (answer: LargeBodyAnswer) => {
      over();
      this.becomesIdle(thread);
      resolve(answer);
      this.next();
    };
    const ended = () => {
      over();
      reject(notReadable());
      this.next();
    };
    thread.on('message', answered);
    thread.on('exit', ended);
    thread.postMessage(job, [job.memory]);
  }

  private start(): Worker {
    const thread = startThread();
    this.threads.add(thread);
    // It ends after that, and whoever waits for it hears of it.
    thread.on('error', (error) => this.logger.error({ err: error }, 'a thread that parses large bodies failed'));
    thread.on('exit', () => {
      this.threads.delete(thread);
      clearTimeout(this.idle.get(thread));
      this.idle.delete(thread);
    });
    thread.unref();
    return thread;
  }
}

function notReadable(): GatewayError {
  return new GatewayError(503, 'The request body cannot be read at the moment; try again shortly.', 5);
}
