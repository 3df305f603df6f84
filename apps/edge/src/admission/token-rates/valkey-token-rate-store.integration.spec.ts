import { edgeLimitsNotice } from '@tollgate/contracts/edge';
import { createLogger } from '@tollgate/observability';
import { startValkey, undisturbed } from '@tollgate/testing';
import type { ValkeyServer } from '@tollgate/testing';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { Clock } from '../../clock';
import { eventually } from '../../testing/edge-rig';
import { WatchedLimitMetrics } from '../../testing/watched-limit-metrics';
import type { EdgeLink } from '../valkey/edge-link';
import { ValkeyLog } from '../valkey/valkey-log';
import { ValkeyRateLimitStore } from '../valkey/valkey-rate-limit-store';
import { TokenLog } from './token-log';
import { ValkeyTokenRateStore } from './valkey-token-rate-store';

const logger = createLogger('edge', 'silent');

/** Edges in one process with one Valkey: how they stand to it is agreed upon by their limits of requests. */
class Fleet {
  readonly requests: ValkeyRateLimitStore[] = [];
  readonly tokens: ValkeyTokenRateStore[] = [];
  readonly logs: ValkeyLog[] = [];
  private readonly metrics: WatchedLimitMetrics[] = [];

  constructor(readonly valkey: ValkeyServer) {}

  async add(): Promise<void> {
    const [clock, log] = [new Clock(), new ValkeyLog({ url: this.valkey.url, ca: null }, logger)];
    const bus: EdgeLink = {
      tell: (notice) => {
        const text = JSON.stringify(notice);
        setTimeout(() => this.requests.forEach((one) => one.hear(edgeLimitsNotice.parse(JSON.parse(text)))), 1);
      },
      borrow: () => Promise.resolve(null),
    };
    const name = `edge-${this.metrics.length}`;
    const metrics = new WatchedLimitMetrics(new Registry());
    this.metrics.push(metrics);
    const requests = new ValkeyRateLimitStore(name, log, bus, clock, metrics, logger);
    const tokens = new ValkeyTokenRateStore(name, log, requests, clock, metrics);
    requests.beforeJoining(() => tokens.putInto());
    this.requests.push(requests);
    this.tokens.push(tokens);
    this.logs.push(log);
    await requests.onModuleInit();
  }

  get areShared(): boolean {
    return this.requests.every(({ isShared }) => isShared);
  }

  get areAlone(): boolean {
    return this.requests.every(({ isShared }) => !isShared);
  }

  /** Does what is exact while all count together, with a limit of its own. */
  exactly(attempt: (name: string) => Promise<void>): Promise<void> {
    return undisturbed(
      () => this.metrics.reduce((sum, { timesAlone }) => sum + timesAlone, 0),
      async (number) => {
        await eventually(() => this.areShared);
        await attempt(`attempt ${number} ${expect.getState().currentTestName}`);
      },
    );
  }

  /** Of how many requests Valkey's log of a limit tells. */
  async valkeyHolds(name: string): Promise<number> {
    const client = new Redis(this.valkey.url.replace('valkey', 'redis'));
    const run = this.logs[0]?.currentRun;
    const held = [
      await client.zcard(`tollgate:tpm:${run}:${name}`),
      await client.hlen(`tollgate:tpm-held:${run}:${name}`),
    ];
    client.disconnect();
    // Beside them stands their sum.
    const [requests = 0, fields = 0] = held;
    expect(fields).toBeLessThanOrEqual(requests + 1);
    return requests;
  }

  async take(edge: number, name: string, limit: number, tokens: number) {
    const taken = await this.tokens[edge]?.take(name, limit, tokens);
    if (!taken) throw new Error(`there is no edge ${edge}`);
    return taken;
  }

  /** SIGTERM: it says that it leaves. */
  leave(edge: number): void {
    this.requests.splice(edge, 1).forEach((store) => store.onApplicationShutdown());
    this.tokens.splice(edge, 1);
    this.logs.splice(edge, 1);
  }

  async stop(): Promise<void> {
    for (const store of this.requests) store.onApplicationShutdown();
    await this.valkey.stop();
  }
}

let fleet: Fleet;
beforeAll(async () => {
  fleet = new Fleet(await startValkey());
  for (let edge = 0; edge < 3; edge++) await fleet.add();
  await eventually(() => fleet.areShared);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => fleet.stop());

describe('the limit of tokens of three edges', () => {
  it('is the limit of all together, exactly, when they are asked at the same time', () =>
    fleet.exactly(async (name) => {
      const answers = await Promise.all(
        Array.from({ length: 300 }, (_, index) => fleet.take(index % 3, name, 1_000, 7)),
      );
      expect(answers.filter((answer) => answer.admitted)).toHaveLength(142);
      expect(await fleet.valkeyHolds(name)).toBe(142);
      expect((await fleet.take(1, name, 1_000, 6)).admitted).toBe(true);
      const refused = await fleet.take(2, name, 1_000, 1);
      expect(refused).toMatchObject({ admitted: false });
      if (!refused.admitted) expect(refused.retryAfterMs).toBeLessThanOrEqual(60_000);
      expect(fleet.tokens[2]?.state(name, 1_000)).toMatchObject({ limit: 1_000, remaining: 0 });
    }));

  it('has room for what a request did not use, at every edge; what is more counts too', () =>
    fleet.exactly(async (name) => {
      const [first, second] = [await fleet.take(0, name, 100, 60), await fleet.take(1, name, 100, 40)];
      expect((await fleet.take(2, name, 100, 1)).admitted).toBe(false);
      if (first.admitted) first.settle(10);
      await eventually(async () => (await fleet.take(2, name, 100, 50)).admitted);
      expect((await fleet.take(0, name, 100, 1)).admitted).toBe(false);
      if (second.admitted) second.settle(70);
      // Valkey hears an edge in order.
      expect((await fleet.take(1, name, 130, 1)).admitted).toBe(false);
      expect((await fleet.take(1, name, 150, 20)).admitted).toBe(true);
    }));

  it('counts tokens for 60 seconds, and tells when there is room for so many', async () => {
    const [log] = fleet.logs;
    const own = new TokenLog();
    own.push(50, 0, 'old');
    own.push(30, 0, 'young');
    const ages: Record<string, number> = { old: 40_000, young: 10_000 };
    await log?.addTokens('aged', own.inWindow(), ({ member }) => ages[member] ?? 0);
    const room = async (tokens: number) => {
      const taken = await fleet.take(0, 'aged', 100, tokens);
      return taken.admitted ? 0 : Math.ceil((taken.retryAfterMs ?? 0) / 1_000);
    };
    const inS = await room(60);
    expect(inS).toBeGreaterThan(5);
    expect(inS).toBeLessThanOrEqual(20);
    expect(await room(80)).toBeGreaterThan(inS);
    expect(await room(101)).toBe(60);
    expect(await room(20)).toBe(0);
    // Another, of which something leaves the window in a moment.
    const late = { ...ages, old: 59_000 };
    await log?.addTokens('leaving', own.inWindow(), ({ member }) => late[member as keyof typeof late] ?? 0);
    await eventually(async () => (await fleet.take(1, 'leaving', 100, 70)).admitted, 5_000);
    expect((await fleet.take(1, 'leaving', 100, 1)).admitted).toBe(false);
  });

  it('keeps nothing of requests that took nothing, so that a flood of refusals leaves nothing', () =>
    fleet.exactly(async (name) => {
      for (let request = 0; request < 50; request++) {
        const taken = await fleet.take(request % 3, name, 100, 90);
        expect(taken.admitted).toBe(true);
        if (taken.admitted) taken.settle(0);
        await eventually(async () => (await fleet.valkeyHolds(name)) === 0);
      }
      expect(fleet.tokens[0]?.state(name, 100)).toMatchObject({ remaining: 100, resetMs: 0 });
    }));

  it('asks Valkey seldom for a limit that is used up, and tells it nothing that it has', () =>
    fleet.exactly(async (name) => {
      await fleet.take(0, name, 100, 100);
      const [log] = fleet.logs;
      if (!log) throw new Error('there is no edge');
      const [asks, adds] = [jest.spyOn(log, 'takeTokens').mockClear(), jest.spyOn(log, 'addTokens').mockClear()];
      const refused = await fleet.take(0, name, 100, 50);
      for (let request = 0; request < 1_000; request++) {
        const again = await fleet.take(0, name, 100, 50);
        expect(again.admitted || refused.admitted).toBe(false);
      }
      expect(asks.mock.calls.length).toBeLessThan(100);
      await fleet.tokens[0]?.putInto();
      expect(adds).not.toHaveBeenCalled();
    }));

  it('costs nothing for what could never be admitted', () => {
    expect(fleet.tokens[0]?.take('large', 10, 11)).toEqual({ admitted: false, retryAfterMs: 60_000 });
  });
});

it('while Valkey is away each edge takes its share of what is left, and all of it is in the log afterwards', async () => {
  let outage = '';
  await fleet.exactly(async (name) => {
    for (let edge = 0; edge < 3; edge++)
      expect(await fleet.take(edge, name, 900, 100)).toMatchObject({ admitted: true });
    // Each has heard by now what the others took.
    for (let edge = 0; edge < 3; edge++) await fleet.take(edge, name, 900, 0);
    expect(await fleet.valkeyHolds(name)).toBe(6);
    outage = name;
  });
  await fleet.valkey.kill();
  await eventually(() => fleet.areAlone);
  const taken = [0, 1, 2].map(async (edge) => {
    let sum = 0;
    while ((await fleet.take(edge, outage, 900, 10)).admitted) sum += 10;
    return sum;
  });
  const alone = (await Promise.all(taken)).reduce((sum, tokens) => sum + tokens, 0);
  expect(alone).toBeGreaterThan(0);
  expect(alone).toBeLessThanOrEqual(600);
  const ending = await fleet.take(0, 'ending', 900, 300);
  const refused = await fleet.take(0, 'ending', 900, 300);
  expect(refused).toMatchObject({ admitted: false });
  if (!refused.admitted) expect(refused.retryAfterMs).toBeGreaterThan(50_000);
  if (ending.admitted) ending.settle(5);
  await fleet.valkey.start();
  await eventually(() => fleet.areShared, 10_000);
  expect((await fleet.take(1, outage, 900, 600 - alone + 1)).admitted).toBe(false);
  expect((await fleet.take(1, outage, 900, 600 - alone)).admitted).toBe(true);
  expect((await fleet.take(2, 'ending', 900, 896)).admitted).toBe(false);
  expect((await fleet.take(2, 'ending', 900, 895)).admitted).toBe(true);
});

it('while Valkey is away edges that leave and start take nothing on top', async () => {
  await fleet.valkey.kill();
  await eventually(() => fleet.areAlone);
  const all = async (edge: number) => {
    let sum = 0;
    while ((await fleet.take(edge, 'replaced', 900, 50)).admitted) sum += 50;
    return sum;
  };
  const taken = (await all(0)) + (await all(1)) + (await all(2));
  expect(taken).toBeGreaterThan(0);
  expect(taken).toBeLessThanOrEqual(900);
  fleet.leave(0);
  await fleet.add();
  await eventually(() => fleet.requests.every(({ edges }) => edges === 3));
  expect([await all(0), await all(1), await all(2)]).toEqual([0, 0, 0]);
  // It cannot know yet what others took of anything.
  const started = await fleet.take(2, 'other', 900, 50);
  expect(started).toMatchObject({ admitted: false });
  if (!started.admitted) expect(started.retryAfterMs).toBeGreaterThan(50_000);
  // What is more than a share is nothing that waiting a while would help.
  expect(await fleet.take(0, 'other', 900, 500)).toEqual({ admitted: false, retryAfterMs: null });
});
