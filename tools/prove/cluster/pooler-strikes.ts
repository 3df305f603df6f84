import { migrate } from '@tollgate/database';
import { startPgBouncer } from '@tollgate/testing';
import type { PgBouncer, PostgresPair } from '@tollgate/testing';
import { readFileSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../stack/stack';
import { rowsOf } from './sql';
import type { Strike } from './strikes';

/** How long a pooler that was killed stays away. */
const awayMs = 3_000;
/** So soon each instance that waits for its database says so: starts take long where all start at once. */
const toldWithinMs = 60_000;
const lookEveryMs = 250;
/** How long all work with few server connections. */
const fewMs = 10_000;

/**
 * Nobody gets in: services hear "no more connections allowed".
 * https://www.pgbouncer.org/config.html#max_client_conn
 */
const refusing = ['max_client_conn = 1'];
/** Fewer than there are instances, and who waits for one is refused soon. */
const few = ['default_pool_size = 2', 'query_wait_timeout = 2'];

/** What a service that waits for its database says in its log. */
const waitingLine = /trying again|waits for its next turn|wait for a retry/;

/**
 * The pooler dies, hangs, refuses and has few connections to give; every instance that has tables starts at
 * once meanwhile. Callers need the database for nothing that they notice, and no instance has to be started
 * again.
 */
export function poolerStrikes(
  pooler: PgBouncer,
  stack: Stack,
  pair: PostgresPair,
  freezeS: readonly number[],
): Strike[] {
  const withTables = [...stack.processes.values()].filter(({ name }) => /^(accounts|catalog|metering)/.test(name));
  const hang = (seconds: number) => async () => {
    await pooler.pause();
    await delay(seconds * 1_000).finally(() => pooler.resume());
    return [];
  };
  const strikes: Record<string, () => Promise<string[]>> = {
    'kill pooler': async () => {
      await pooler.kill();
      await delay(awayMs);
      await pooler.start();
      return [];
    },
    ...Object.fromEntries(freezeS.map((seconds) => [`freeze pooler ${seconds} s`, hang(seconds)])),
    'start, pooler refuses': async () => {
      await anew(pooler, refusing);
      const logs = withTables.map(({ name, logFile }) => new LogSince(name, logFile));
      const started = Promise.all(withTables.map((one) => one.restart()));
      const told = untilTold(logs).then(async (silent) => {
        await anew(pooler);
        return silent;
      });
      const [silent] = await Promise.all([told, started]);
      return [...silent.map((name) => `${name} waited without a word`), ...(await forgottenLocks(pair))];
    },
    'start, pool of 2': async () => {
      await anew(pooler, few);
      await Promise.all(withTables.map((one) => one.restart()));
      await delay(fewMs);
      await anew(pooler);
      return forgottenLocks(pair);
    },
    'migrate through it': () => migrateThrough(pair),
  };
  return Object.entries(strikes).map(([name, play]) => ({ name, isPlanned: true, play }));
}

/** Ends the pooler and starts it again, with other settings than always until the next end. */
async function anew(pooler: PgBouncer, settings: readonly string[] = []): Promise<void> {
  await pooler.kill();
  await pooler.start(settings);
}

/** What a process logs from now on. */
class LogSince {
  private readonly from: number;

  constructor(
    readonly name: string,
    private readonly file: string,
  ) {
    this.from = statSync(file).size;
  }

  get tellsOfWaiting(): boolean {
    return waitingLine.test(readFileSync(this.file).subarray(this.from).toString());
  }
}

/** Resolves with the names of those that said nothing in time, at once when all have said that they wait. */
async function untilTold(logs: readonly LogSince[]): Promise<string[]> {
  const giveUpAt = performance.now() + toldWithinMs;
  for (;;) {
    const silent = logs.filter((log) => !log.tellsOfWaiting).map(({ name }) => name);
    if (silent.length === 0 || performance.now() > giveUpAt) return silent;
    await delay(lookEveryMs);
  }
}

/**
 * Two instances migrate an empty database by the way of a pooler, where an operator insists on that and has
 * it take their settings. It must be whole afterwards, and no connection of the pool may keep a lock.
 */
async function migrateThrough(pair: PostgresPair): Promise<string[]> {
  await rowsOf(pair.primaryUrl, 'CREATE DATABASE pooled');
  const direct = new URL('/pooled', pair.primaryUrl).href;
  const settings = ['ignore_startup_parameters = idle_in_transaction_session_timeout', 'default_pool_size = 4'];
  const own = await startPgBouncer(direct, settings);
  try {
    const applied = await Promise.all([migrate(own.url), migrate(own.url)]);
    const by = applied.filter((names) => names.length > 0).length;
    const missing = await migrate(direct);
    return [
      ...(by === 1 ? [] : [`${by} of two instances migrated`]),
      ...(missing.length === 0 ? [] : [`${missing.length} migrations were missing after that`]),
      ...(await forgottenLocks(pair)),
    ];
  } finally {
    await own.stop();
    await rowsOf(pair.primaryUrl, 'DROP DATABASE pooled WITH (FORCE)');
  }
}

/**
 * Locks that a session keeps although it does nothing: those of a client that is gone, on a connection that
 * others get.
 */
async function forgottenLocks({ primaryUrl }: PostgresPair): Promise<string[]> {
  const found = await rowsOf(
    primaryUrl,
    `SELECT datname, count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND state = 'idle' GROUP BY 1`,
  );
  return found.map((row) => `a lock stayed behind on a connection of the pool: ${JSON.stringify(row)}`);
}
