import { createLogger } from '@tollgate/observability';
import type { Logger } from '@tollgate/observability';
import { eventually, patience, startValkey, startValkeyPair, undisturbed } from '@tollgate/testing';
import type { ValkeyServer } from '@tollgate/testing';
import { Redis } from 'ioredis';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import { ValkeyLog } from './valkey-log';

const silent = createLogger('edge', 'silent');

/**
 * `tell` is given the server's run id whenever it is there, null when it is gone; `withinMs`: so soon it must
 * answer.
 */
interface Opening {
  ca?: string;
  logger?: Logger;
  tell?: (run: string | null) => void;
  withinMs?: number;
}

/** A log on a server, once that answers. Rejects when it does not in time. */
async function openLog(
  url: string,
  { ca, logger = silent, tell = () => undefined, withinMs = 2_000 * patience }: Opening = {},
): Promise<ValkeyLog> {
  const log = new ValkeyLog({ url, ca: ca ?? null }, logger);
  const up = new Promise<void>((resolve) => {
    log.open({
      up: (run) => {
        tell(run);
        resolve();
      },
      down: () => tell(null),
    });
  });
  const isUp = await Promise.race([up.then(() => true), sleep(withinMs, false, { ref: false })]);
  if (isUp) return log;
  log.close();
  throw new Error('Valkey did not answer.');
}

/** A unit that is as old as that, in milliseconds. */
const aged = (keyId: string, member: string, ageMs: number) => ({ keyId, member, ageMs });

describe('the log of a key in Valkey', () => {
  let server: ValkeyServer;
  let log: ValkeyLog;
  /** How often Valkey was given up: it may be late on a busy machine. */
  let losses = 0;
  beforeAll(async () => {
    server = await startValkey();
    log = await openLog(server.url, { tell: (run) => (losses += run === null ? 1 : 0) });
  });
  afterAll(async () => {
    log.close();
    await server.stop();
  });

  /** A test with a key of its own each time that it is tried. */
  const steadily = (attempt: (key: string) => Promise<void>) => () =>
    undisturbed(
      () => losses,
      async (number) => {
        await eventually(() => log.currentRun !== null);
        await attempt(`${expect.getState().currentTestName} ${number}`);
      },
    );

  it(
    'frees a unit exactly 60 seconds after it was taken, and tells when that is',
    steadily(async (name) => {
      let [key, tried, askedAt] = [name, 0, 0];
      const ask = async () => {
        key = `${name} ${tried++}`;
        await log.add([aged(key, 'old', 59_500), aged(key, 'young', 10_000)]);
        askedAt = performance.now();
        return log.take(key, 2, 'new');
      };
      // Where half a second passes meanwhile, it is free by then.
      const refused = await eventually(ask, ({ admitted }) => !admitted);
      const answeredAt = performance.now();
      expect(refused).toMatchObject({ admitted: false, count: 2 });
      expect(refused.retryAfterMs).toBeGreaterThan(0);
      expect(refused.retryAfterMs).toBeLessThanOrEqual(500);
      expect(refused.resetMs).toBeGreaterThan(45_000);
      while (performance.now() < answeredAt + refused.retryAfterMs) {
        const { admitted } = await log.take(key, 2, 'early');
        if (admitted) expect(performance.now() - askedAt).toBeGreaterThanOrEqual(refused.retryAfterMs);
        if (admitted) log.giveBack(key, 'early');
        await sleep(2);
      }
      expect((await log.take(key, 2, 'punctual')).admitted).toBe(true);
      expect((await log.take(key, 2, 'late')).admitted).toBe(false);
    }),
  );

  it(
    'waits for as many to pass as a lowered limit needs, and names a whole window where nothing is allowed',
    steadily(async (key) => {
      await log.add([1, 2, 3, 4].map((second) => aged(key, `unit-${second}`, second * 1_000)));
      const { retryAfterMs } = await log.take(key, 2, 'new');
      expect(retryAfterMs).toBeGreaterThan(52_000);
      expect(retryAfterMs).toBeLessThanOrEqual(58_000);
      expect((await log.take(`none of ${key}`, 0, 'new')).retryAfterMs).toBe(60_000);
    }),
  );

  it(
    'counts a unit once, however often it is added, and not at all once it is given back',
    steadily(async (key) => {
      for (let time = 0; time < 3; time++) await log.add([aged(key, 'same', 1_000)]);
      expect((await log.take(key, 5, 'other')).count).toBe(2);
      log.giveBack(key, 'other');
      expect((await log.take(key, 5, 'third')).count).toBe(2);
    }),
  );

  it(
    'can be read whole, also when there are many keys',
    steadily(async (key) => {
      await log.add(Array.from({ length: 1_300 }, (_, index) => aged(`${key}-${index}`, 'unit', 5_000)));
      const keys = new Set<string>();
      for await (const { keyId, agesMs } of log.read()) {
        if (!keyId.startsWith(`${key}-`)) continue;
        keys.add(keyId);
        expect(agesMs[0]).toBeGreaterThanOrEqual(5_000);
        expect(agesMs).toHaveLength(1);
      }
      expect(keys.size).toBe(1_300);
    }),
  );

  it(
    'dates all that is added at once by one look at its clock, however long it takes',
    steadily(async (key) => {
      await log.add(Array.from({ length: 50 }, (_, index) => aged(`${key}-${index}`, 'unit', 5_000)));
      const client = new Redis(server.url.replace('valkey', 'redis'));
      const name = (index: number) => `tollgate:rpm:${log.currentRun}:${key}-${index}`;
      const times = await Promise.all(Array.from({ length: 50 }, (_, index) => client.zscore(name(index), 'unit')));
      client.disconnect();
      expect(times[0]).toMatch(/^\d+$/);
      expect(new Set(times).size).toBe(1);
    }),
  );
});

describe('the way to Valkey', () => {
  it('takes a password, and TLS with an authority of its own', async () => {
    // Of a hundred years, for the loopback address alone.
    const fixture = (name: string) => join(__dirname, '__fixtures__', name);
    const [certFile, keyFile] = [fixture('loopback.cert.pem'), fixture('loopback.key.pem')];
    const ca = readFileSync(certFile, 'utf8');
    const server = await startValkey({ password: 'pass/word', tls: { certFile, keyFile } });
    expect(server.url).toMatch(/^valkeys:/);
    const log = await openLog(server.url, { ca });
    expect((await log.take('tls', 1, 'unit')).admitted).toBe(true);
    log.close();
    await expect(openLog(server.url, { withinMs: 1_000 })).rejects.toThrow('did not answer');
    const wrong = server.url.replace('pass', 'wrong');
    await expect(openLog(wrong, { ca, withinMs: 1_000 })).rejects.toThrow();
    await server.stop();
  });

  it('is found again after a restart, with the scripts that the server has lost', async () => {
    const server = await startValkey();
    const runs: (string | null)[] = [];
    const log = await openLog(server.url, { tell: (run) => runs.push(run) });
    await server.kill();
    await expect(log.take('restart', 1, 'lost')).rejects.toThrow();
    await server.start();
    await eventually(() => runs.length === 3);
    expect(runs).toEqual([expect.any(String), null, expect.any(String)]);
    expect(runs[2]).not.toBe(runs[0]);
    expect((await log.take('restart', 1, 'unit')).admitted).toBe(true);
    log.close();
    await server.stop();
  });

  it('is not at a replica: it leaves a primary that became one, and says so once', async () => {
    const pair = await startValkeyPair();
    const lines: string[] = [];
    const runs: (string | null)[] = [];
    const listening = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const log = await openLog(pair.url, { logger: listening, tell: (run) => runs.push(run) });
    const saysReplica = () => lines.filter((line) => line.includes('replica'));
    try {
      const former = runs.at(-1);
      await pair.swapRoles();
      await expect(log.take('replica', 1, 'lost')).rejects.toThrow();
      await eventually(() => saysReplica().length > 0);
      const before = runs.length;
      await expect(log.take('replica', 1, 'lost')).rejects.toThrow();
      await pair.moveAddress();
      await eventually(async () =>
        log.take('replica', 100, 'unit').then(
          ({ admitted }) => admitted,
          () => false,
        ),
      );
      expect(runs.slice(before)).not.toContain(former);
      expect(runs.at(-1)).not.toBe(former);
      expect(saysReplica()).toHaveLength(1);
    } finally {
      log.close();
      await pair.stop();
    }
  });

  it('begins anew where a server is the primary again, which still holds what it was asked before', async () => {
    const pair = await startValkeyPair();
    const lines: string[] = [];
    const listening = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const log = await openLog(pair.url, { logger: listening });
    const runs = [log.currentRun];
    const changePlaces = async (isAddressMoved: boolean) => {
      await pair.replicaHasAll();
      await pair.swapRoles();
      await expect(log.take('places', 9, 'lost')).rejects.toThrow();
      if (!isAddressMoved) return;
      await pair.moveAddress();
      await eventually(() => log.currentRun !== null && log.currentRun !== runs.at(-1));
      runs.push(log.currentRun);
    };
    try {
      expect((await log.take('places', 9, 'first')).count).toBe(1);
      await changePlaces(true);
      await changePlaces(true);
      expect((await log.take('places', 9, 'third')).count).toBe(1);
      // It is a replica for a while, and nobody comes to the other one.
      await changePlaces(false);
      await eventually(() => lines.some((line) => line.includes('replica')));
      await pair.replicaHasAll();
      await pair.swapRoles();
      await eventually(() => log.currentRun !== null);
      expect(new Set([...runs, log.currentRun]).size).toBe(4);
    } finally {
      log.close();
      await pair.stop();
    }
  });

  it('is the same to all who come to a server, and left by all when it is forgotten there', async () => {
    const server = await startValkey();
    const [one, other] = [await openLog(server.url), await openLog(server.url)];
    const client = new Redis(server.url.replace('valkey', 'redis'));
    try {
      const before = one.currentRun;
      expect(other.currentRun).toBe(before);
      await client.flushall();
      const haveLeft = () => [one, other].every(({ currentRun }) => currentRun !== null && currentRun !== before);
      await eventually(haveLeft);
      expect(other.currentRun).toBe(one.currentRun);
    } finally {
      client.disconnect();
      one.close();
      other.close();
      await server.stop();
    }
  });
});
