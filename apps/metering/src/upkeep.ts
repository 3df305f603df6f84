import { isDatabaseUnavailable } from '@tollgate/database';
import type { Logger } from '@tollgate/observability';

/** Work that comes again: every `everyMs` milliseconds, and once at the start. */
export interface Chore {
  name: string;
  everyMs: number;
  run: () => Promise<void>;
}

/** Runs chores beside the service. One that fails is logged and tried again in its next turn; it never runs twice at once. */
export class Upkeep {
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly chores: Chore[],
    private readonly logger: Logger,
  ) {}

  start(): void {
    for (const chore of this.chores) {
      this.turn(chore);
      this.timers.push(setInterval(() => this.turn(chore), chore.everyMs));
    }
  }

  /** Resolves when no chore runs any more. */
  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.running.values());
  }

  private turn(chore: Chore): void {
    if (this.running.has(chore.name)) return;
    const done = this.attempt(chore).finally(() => this.running.delete(chore.name));
    this.running.set(chore.name, done);
  }

  private async attempt({ name, run }: Chore): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (isDatabaseUnavailable(error))
        this.logger.warn({ chore: name }, 'Postgres is away; the chore waits for its next turn');
      else this.logger.error({ err: error, chore: name }, 'a chore failed; it is tried again in its next turn');
    }
  }
}
