import { setTimeout as delay } from 'node:timers/promises';

/**
 * npm forwards a Ctrl-C that the terminal has sent to us already: a second one means "at once" only after
 * this time.
 */
const secondInterruptMs = 1_500;
const parentPollMs = 500;

/**
 * Calls `stop` once when this process is asked to end: Ctrl-C, TERM, or the death of the npm that started it.
 * Then exits with `stop`'s outcome.
 * A later second Ctrl-C exits at once; the reaper then ends what is left.
 */
export function stopOnRequest(stop: () => Promise<void>): void {
  let askedAt: number | null = null;
  const ask = (reason: string) => {
    if (askedAt !== null) {
      if (reason === 'SIGINT' && Date.now() - askedAt > secondInterruptMs) process.exit(130);
      return;
    }
    askedAt = Date.now();
    console.log('\nStopping…');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', () => ask('SIGINT'));
  process.on('SIGTERM', () => ask('SIGTERM'));
  if (process.env.npm_lifecycle_event) void whenParentDies().then(() => ask('parent'));
}

async function whenParentDies(): Promise<void> {
  const parent = process.ppid;
  while (process.ppid === parent) await delay(parentPollMs, undefined, { ref: false });
}
