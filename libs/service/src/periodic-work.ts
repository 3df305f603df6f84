import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Logger } from '@tollgate/observability';

/**
 * What failed is tried again after this, and twice that after the next failure, and so on, where its turn
 * does not come before: after a start nothing of it may be there yet.
 */
const retryMs = 1_000;

/** Work that comes again. */
export interface Work {
  /** What the log calls it. */
  readonly name: string;
  readonly everyMs: number;
  readonly run: () => unknown;
  /** What the log says, as a warning, of what is to be expected now and then. Absent: it is an error. */
  readonly failure?: string;
  /** Told what `run` threw, in place of the log's line; it is tried again all the same. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * All that a service does again and again beside what it is asked: once when it has begun, then every
 * `everyMs` milliseconds until it stops, and sooner where it failed; what runs then is waited for.
 * None of it runs twice at once: a turn that comes while it still runs is left out.
 */
export class PeriodicWork implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly turns: Turns[] = [];

  constructor(private readonly logger: Logger) {}

  /** Adds work, in the constructor of whoever does it. */
  add(work: Work): Turns {
    const turns = new Turns({ onFailure: (err) => this.log(work, err), ...work });
    this.turns.push(turns);
    return turns;
  }

  onApplicationBootstrap(): void {
    for (const turns of this.turns) turns.begin();
  }

  onModuleDestroy(): void {
    for (const turns of this.turns) turns.stop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.turns.map((turns) => turns.ended()));
  }

  private log({ name, failure }: Work, err: unknown): void {
    if (failure !== undefined) this.logger.warn({ err }, failure);
    else this.logger.error({ err, work: name }, 'periodic work failed; it is tried again');
  }
}

/** The turns of one work. */
export class Turns {
  private running: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;
  private isRunning = false;
  private timer: NodeJS.Timeout | undefined;
  private retry: NodeJS.Timeout | undefined;
  private failures = 0;

  constructor(private readonly work: Omit<Required<Work>, 'name' | 'failure'>) {}

  /** Runs it now, and in its time from now on. */
  begin(): void {
    this.take();
    this.timer = setInterval(() => this.take(), this.work.everyMs);
  }

  /** Begins no more turns by itself. */
  stop(): void {
    clearInterval(this.timer);
    clearTimeout(this.retry);
    this.timer = undefined;
  }

  /** Runs it, unless it runs already. */
  take(): void {
    if (!this.isRunning) void this.now();
  }

  /**
   * Resolves when a run is over that began after this call, which all who ask meanwhile share. Never rejects.
   */
  now(): Promise<void> {
    this.next ??= this.running.then(() => {
      this.running = this.next ?? this.running;
      this.next = undefined;
      return this.run();
    });
    return this.next;
  }

  /** Resolves when it does not run any more. */
  async ended(): Promise<void> {
    while (this.isRunning || this.next) await (this.next ?? this.running);
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    clearTimeout(this.retry);
    try {
      await this.work.run();
      this.failures = 0;
    } catch (error) {
      this.work.onFailure(error);
      this.tryAgain();
    } finally {
      this.isRunning = false;
    }
  }

  private tryAgain(): void {
    const afterMs = retryMs * 2 ** this.failures++;
    if (this.timer && afterMs < this.work.everyMs) this.retry = setTimeout(() => this.take(), afterMs);
  }
}
