import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Logger } from '@tollgate/observability';

/** Work that comes again. */
export interface Work {
  /** What the log calls it. */
  readonly name: string;
  readonly everyMs: number;
  readonly run: () => unknown;
  /** Told what `run` threw, in place of the log's line; the next turn comes all the same. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * All that a service does again and again beside what it is asked: once when it has begun, then every
 * `everyMs` milliseconds until it stops; what runs then is waited for.
 * None of it runs twice at once: a turn that comes while it still runs is left out.
 */
export class PeriodicWork implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly turns: Turns[] = [];
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(private readonly logger: Logger) {}

  /** Adds work, in the constructor of whoever does it. */
  add(work: Work): Turns {
    const { name } = work;
    const log = (err: unknown): void =>
      this.logger.error({ err, work: name }, 'periodic work failed; it is tried again in its next turn');
    const turns = new Turns({ onFailure: log, ...work });
    this.turns.push(turns);
    return turns;
  }

  onApplicationBootstrap(): void {
    for (const turns of this.turns) {
      turns.take();
      this.timers.push(setInterval(() => turns.take(), turns.everyMs));
    }
  }

  onModuleDestroy(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.turns.map((turns) => turns.ended()));
  }
}

/** The turns of one work. */
export class Turns {
  private running: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;
  private isRunning = false;

  constructor(private readonly work: Required<Work>) {}

  get everyMs(): number {
    return this.work.everyMs;
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
    try {
      await this.work.run();
    } catch (error) {
      this.work.onFailure(error);
    } finally {
      this.isRunning = false;
    }
  }
}
