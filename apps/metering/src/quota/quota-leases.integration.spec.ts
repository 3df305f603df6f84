import { makeEvent } from '../testing/make-event';
import { startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { QuotaLeases } from './quota-leases';

describe('QuotaLeases', () => {
  let env: MeteringDatabase;
  let leases: QuotaLeases;
  beforeAll(async () => {
    env = await startMeteringDatabase();
    leases = new QuotaLeases(env.databases);
  });
  afterAll(() => env.stop());

  const ask = (keyId: string, leaseId: string, sequence = 1) => {
    return { keyId, leaseId, edgeId: 'edge', sequence, tokens: 100, quotaTokens: 1_000 };
  };
  const held = async (keyId: string) => {
    const rows = await env.database.quotaLease.findMany({ where: { keyId } });
    return rows.reduce((sum, { heldTokens }) => sum + Number(heldTokens), 0);
  };

  it('grant room for ten exactly ten times, although two hundred ask two instances at once', async () => {
    const other = new QuotaLeases(env.databases);
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 ? other : leases).acquire(ask('crowd', `crowd-${index}`))),
    );
    expect(replies.filter(({ granted }) => granted === 100)).toHaveLength(10);
    expect(replies.reduce((sum, { granted }) => sum + granted, 0)).toBe(1_000);
    expect(await held('crowd')).toBe(1_000);
  });

  it('keep used and held tokens within the quota while events settle and others ask', async () => {
    const ingest = env.newIngest();
    let used = 0;
    const spend = async (worker: number) => {
      for (let round = 1; round <= 20; round++) {
        const leaseId = `busy-${worker}`;
        const { granted } = await leases.acquire({ ...ask('busy', leaseId, round), tokens: 15, quotaTokens: 600 });
        if (granted < 15) continue;
        used += 15;
        await ingest.ingest([makeEvent({ keyId: 'busy', lease: leaseId })]);
      }
    };
    await Promise.all(Array.from({ length: 6 }, (_, worker) => spend(worker)));
    expect(used).toBe(600);
    expect(await held('busy')).toBe(0);
  });

  it('answer a repeated request as the first time, and refuse one that was overtaken', async () => {
    expect((await leases.acquire(ask('repeat', 'repeat', 1))).granted).toBe(100);
    expect((await leases.acquire(ask('repeat', 'repeat', 1))).granted).toBe(100);
    expect(await held('repeat')).toBe(100);
    expect((await leases.acquire(ask('repeat', 'repeat', 2))).granted).toBe(100);
    expect(await held('repeat')).toBe(200);
    await expect(leases.acquire(ask('repeat', 'repeat', 1))).rejects.toMatchObject({ code: 'conflict' });
    await expect(leases.acquire(ask('other', 'repeat', 9))).rejects.toMatchObject({ code: 'conflict' });
  });

  it('settle a lease by the events that name it, once each, and never below nothing', async () => {
    const ingest = env.newIngest();
    await leases.acquire(ask('settle', 'settle'));
    const event = makeEvent({ keyId: 'settle', lease: 'settle' });
    await ingest.ingest([event]);
    await ingest.ingest([event]);
    expect(await held('settle')).toBe(85);
    const { record } = await leases.acquire(ask('settle', 'settle-2'));
    expect(record).toMatchObject({ used: 15, remaining: 985 });
    await ingest.ingest([makeEvent({ keyId: 'settle', lease: 'settle', usage: { input: 500, output: 0 } })]);
    expect(await held('settle')).toBe(100);
  });

  it('take back what is not renewed in time, and then no longer know the lease', async () => {
    await leases.acquire({ ...ask('ends', 'ends'), tokens: 1_000 });
    expect((await leases.acquire(ask('ends', 'next', 1))).granted).toBe(0);
    await leases.renew({ edgeId: 'edge', leases: [{ leaseId: 'ends', giveBackTokens: 400, close: false }] });
    expect((await leases.acquire(ask('ends', 'next', 2))).granted).toBe(100);
    const again = { leaseId: 'ends', giveBackTokens: 0, close: false };
    await new QuotaLeases(env.databases, Date.now, 1).renew({ edgeId: 'edge', leases: [again] });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await leases.acquire({ ...ask('ends', 'next', 3), tokens: 900 })).granted).toBe(900);
    expect((await leases.renew({ edgeId: 'edge', leases: [again] })).renewed).toEqual([]);
  });

  it('renew only the leases of the edge that asks, and let a closed one end when its time is over', async () => {
    const own = { where: { id: 'close' } };
    await leases.acquire(ask('close', 'close'));
    const { expiresAt } = await env.database.quotaLease.findUniqueOrThrow(own);
    const change = { leaseId: 'close', giveBackTokens: 60, close: true };
    expect((await leases.renew({ edgeId: 'another', leases: [change] })).renewed).toEqual([]);
    expect((await leases.renew({ edgeId: 'edge', leases: [change] })).renewed).toEqual(['close']);
    expect(await held('close')).toBe(40);
    expect((await env.database.quotaLease.findUniqueOrThrow(own)).expiresAt).toEqual(expiresAt);
    await env.database.quotaLease.update({ ...own, data: { expiresAt: new Date() } });
    await leases.sweep();
    expect(await held('close')).toBe(0);
  });

  it('count leases that live across the end of a month against the new month', async () => {
    const endOfMonth = Date.UTC(2031, 0, 31, 23, 59, 59);
    const old = new QuotaLeases(env.databases, () => endOfMonth);
    const fresh = new QuotaLeases(env.databases, () => endOfMonth + 2_000);
    await env.newIngest().ingest([makeEvent({ keyId: 'turn', endedAt: endOfMonth, usage: { input: 700, output: 0 } })]);
    expect((await old.acquire({ ...ask('turn', 'turn-1'), tokens: 500 })).granted).toBe(300);
    const reply = await fresh.acquire({ ...ask('turn', 'turn-2'), tokens: 1_000 });
    expect(reply).toMatchObject({ granted: 700, record: { used: 0, resetsAt: Date.UTC(2031, 2) } });
  });
});
