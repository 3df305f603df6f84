import type { Logger } from '@tollgate/observability';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { TurnsByOwner } from './turns-by-owner';
import type { Owner } from './turns-by-owner';

/** Who waits for an answer. */
interface Asking<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** A job that is asked for when its turn comes. `make`: in several turns of the event loop. */
type Waiting<Job, Answer> = Asking<Answer> & ({ readonly job: () => Job } | { readonly make: () => Promise<Job> });

/** A job that waits for a thread alone. */
interface Made<Job, Answer> extends Asking<Answer> {
  readonly asked: Job;
}

/** A core is left for the event loop where there is one. */
const mostThreads = Math.max(1, Math.min(2, availableParallelism() - 1));
/**
 * A thread that needs more for one body ends, and costs that request alone: the largest body is held twice,
 * in two bytes a character where it is not Latin, and its values take some 50 MB.
 */
const resourceLimits = { maxOldGenerationSizeMb: 256 };
/** A thread that has nothing to do for so long ends: only so does what it built of the last bodies go. */
const idleMs = 20_000;

/**
 * Starts a thread from `file`, which stands without its ending: from beside the built program, or from
 * TypeScript, which is what tests run.
 */
function startThread(file: string): Worker {
  const ending = extname(__filename);
  if (ending !== '.ts') return new Worker(file + ending, { resourceLimits });
  return new Worker(`require('tsx/cjs'); require(${JSON.stringify(file + ending)})`, { resourceLimits, eval: true });
}

/**
 * Has work on dear bodies done on threads, each of which answers each message with one, so that nobody else
 * waits for it. A thread is started when it is first needed; accounts take turns, and so do their keys.
 */
export class ThreadsByOwner<Job, Answer> {
  private readonly waiting = new TurnsByOwner<Waiting<Job, Answer>>();
  /** Until when each waits for something to do. */
  private readonly idle = new Map<Worker, NodeJS.Timeout>();
  private readonly threads = new Set<Worker>();
  private isMaking = false;
  private readonly made: Made<Job, Answer>[] = [];

  /**
   * `file`: what a thread runs, without its ending. `handedOver`: what memory of a job goes to the thread and
   * is gone here. `undone`: what is thrown where a thread ended over a job, or the system gave none.
   */
  constructor(
    private readonly file: string,
    private readonly handedOver: (job: Job) => ArrayBuffer[],
    private readonly undone: () => Error,
    private readonly logger: Logger,
  ) {}

  /**
   * Does a job of this owner, which is asked for when its turn comes.
   * @throws what `undone` makes; what is thrown over the making of the job.
   */
  do(owner: Owner, job: () => Job): Promise<Answer> {
    return this.answered(owner, { job });
  }

  /**
   * As `do`, of a job that is made in several turns of the event loop. No thread stands still meanwhile: it
   * does what waits behind it. One is made at a time.
   */
  doMade(owner: Owner, make: () => Promise<Job>): Promise<Answer> {
    return this.answered(owner, { make });
  }

  async close(): Promise<void> {
    await Promise.all([...this.threads].map((thread) => thread.terminate()));
  }

  private answered(
    owner: Owner,
    how: { readonly job: () => Job } | { readonly make: () => Promise<Job> },
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push(owner, { ...how, resolve, reject });
      this.next();
    });
  }

  private next(): void {
    while (this.idle.size > 0 || this.threads.size < mostThreads) {
      const made = this.made.shift() ?? this.takeNext();
      if (!made) return;
      this.begin(made);
    }
  }

  /** Those that are to be made begin to be, and come back; null: nobody waits for a thread alone. */
  private takeNext(): Made<Job, Answer> | null {
    for (;;) {
      const waiting = this.waiting.take((one) => ('make' in one && this.isMaking ? 'pass' : 'take'));
      if (!waiting) return null;
      const { resolve, reject } = waiting;
      try {
        if ('job' in waiting) return { asked: waiting.job(), resolve, reject };
      } catch (error) {
        reject(error as Error);
        continue;
      }
      void this.make(waiting.make, { resolve, reject });
    }
  }

  /** Never rejects. */
  private async make(make: () => Promise<Job>, asking: Asking<Answer>): Promise<void> {
    this.isMaking = true;
    try {
      this.made.push({ asked: await make(), ...asking });
    } catch (error) {
      asking.reject(error as Error);
    } finally {
      this.isMaking = false;
    }
    this.next();
  }

  private begin(made: Made<Job, Answer>): void {
    try {
      this.run(this.takeIdle() ?? this.start(), made);
    } catch (error) {
      // The system gives no thread: that is this request's trouble alone, and the next one tries again.
      this.logger.error({ err: error }, 'no thread for bodies could be started');
      made.reject(this.undone());
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

  private run(thread: Worker, { asked, resolve, reject }: Made<Job, Answer>): void {
    const over = () => {
      thread.off('message', answered);
      thread.off('exit', ended);
    };
    const answered = (answer: Answer) => {
      over();
      this.becomesIdle(thread);
      resolve(answer);
      this.next();
    };
    const ended = () => {
      over();
      reject(this.undone());
      this.next();
    };
    thread.on('message', answered);
    thread.on('exit', ended);
    try {
      thread.postMessage(asked, this.handedOver(asked));
    } catch (error) {
      over();
      this.becomesIdle(thread);
      reject(error as Error);
    }
  }

  private start(): Worker {
    const thread = startThread(this.file);
    this.threads.add(thread);
    // It ends after that, and whoever waits for it hears of it.
    thread.on('error', (error) => this.logger.error({ err: error }, 'a thread that works on bodies failed'));
    thread.on('exit', () => {
      this.threads.delete(thread);
      clearTimeout(this.idle.get(thread));
      this.idle.delete(thread);
    });
    thread.unref();
    return thread;
  }
}
