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

/** A body to be parsed, for the operation at this path. */
export interface LargeBodyJob {
  readonly path: string;
  readonly shared: SharedArrayBuffer;
  readonly quotaTokens: number | null;
}

/** What became of it: facts, a refusal of the caller's, or a fault of ours. */
export interface LargeBodyAnswer {
  readonly facts?: SentFacts;
  readonly refusal?: { readonly status: GatewayErrorStatus; readonly message: string };
  readonly fault?: string;
}

/** A body in shared memory, of a request of this key. */
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
  private readonly idle: Worker[] = [];
  private readonly threads = new Set<Worker>();

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** @throws GatewayError as `readSent` does; 503 when its thread ended over it. */
  async read({ operation, key, bytes }: LargeBody): Promise<SentRequest> {
    if (!(bytes.buffer instanceof SharedArrayBuffer)) throw new TypeError('a large body must lie in shared memory');
    const job = { path: operation.path, shared: bytes.buffer, quotaTokens: key.quotaTokens };
    const { facts, refusal, fault } = await new Promise<LargeBodyAnswer>((resolve, reject) => {
      this.waiting.push(key.id, { job, resolve, reject });
      this.next();
    });
    if (refusal) throw new GatewayError(refusal.status, refusal.message);
    if (!facts) throw new Error(fault ?? 'a thread answered nothing');
    return sentElsewhere(operation, facts, bytes);
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([...this.threads].map((thread) => thread.terminate()));
  }

  private next(): void {
    if (this.idle.length === 0 && this.threads.size >= mostThreads) return;
    const waiting = this.waiting.take(() => 'take');
    if (!waiting) return;
    try {
      this.run(this.idle.pop() ?? this.start(), waiting);
    } catch (error) {
      // The system gives no thread: that is this request's trouble alone, and the next one tries again.
      this.logger.error({ err: error }, 'no thread for large bodies could be started');
      waiting.reject(notReadable());
    }
  }

  private run(thread: Worker, { job, resolve, reject }: Waiting): void {
    const over = () => {
      thread.off('message', answered);
      thread.off('exit', ended);
    };
    const answered = (answer: LargeBodyAnswer) => {
      over();
      this.idle.push(thread);
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
    thread.postMessage(job);
  }

  private start(): Worker {
    const thread = startThread();
    this.threads.add(thread);
    // It ends after that, and whoever waits for it hears of it.
    thread.on('error', (error) => this.logger.error({ err: error }, 'a thread that parses large bodies failed'));
    thread.on('exit', () => {
      this.threads.delete(thread);
      const place = this.idle.indexOf(thread);
      if (place >= 0) this.idle.splice(place, 1);
    });
    thread.unref();
    return thread;
  }
}

function notReadable(): GatewayError {
  return new GatewayError(503, 'The request body cannot be read at the moment; try again shortly.', 5);
}
