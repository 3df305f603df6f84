import { uuidv7 } from '@tollgate/contracts';
import type { UsageIngest } from '../ingest/usage-ingest';
import { QuotaLeases } from '../quota/quota-leases';
import { CurrentPrices } from '../rating/price-book';
import { makeEvent } from '../testing/make-event';
import { addPrice, startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { KeptReplay } from './kept-replay';
import { Ledger } from './ledger';
import { UnsettledLeases } from './unsettled-leases';

let env: MeteringDatabase;
let ingest: UsageIngest;
beforeAll(async () => {
  env = await startMeteringDatabase();
  ingest = env.newIngest();
});
afterAll(() => env?.stop());

describe('the explanation of a charge', () => {
  it('finds an event by its id, by the request id of the gateway, and by one that a caller chose', async () => {
    const ledger = new Ledger(env.databases, new CurrentPrices(env.databases));
    const own = makeEvent({ requestId: uuidv7() });
    const chosen = [makeEvent({ requestId: 'order-17' }), makeEvent({ requestId: 'order-17' })];
    await ingest.ingest([own, ...chosen]);
    for (const id of [own.id, own.id.toUpperCase(), own.requestId])
      expect((await ledger.explain(id)).events).toMatchObject([{ event: { ...own, usage: { input: 10, output: 5 } } }]);
    const found = (await ledger.explain('order-17')).events.map(({ event }) => event.id);
    expect(found).toEqual(chosen.map(({ id }) => id).sort());
    await expect(ledger.explain(uuidv7())).rejects.toMatchObject({ code: 'not_found' });
  });

  it('keeps what was reserved for a request, beside what it used', async () => {
    const ledger = new Ledger(env.databases, new CurrentPrices(env.databases));
    const [reserved, unknown] = [makeEvent({ lease: 'lease-1', reserved: 1_200 }), makeEvent({ lease: 'lease-1' })];
    await ingest.ingest([reserved, unknown]);
    expect((await ledger.explain(reserved.id)).events[0]?.event).toMatchObject({ lease: 'lease-1', reserved: 1_200 });
    expect((await ledger.explain(unknown.id)).events[0]?.event.reserved).toBeUndefined();
  });

  it('tells what it held of each budget and cost of it: nothing of one that does not count its model', async () => {
    const ledger = new Ledger(env.databases, new CurrentPrices(env.databases));
    const [accountId, team, others, removed] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
    const account = { id: accountId, name: 'a', email: 'held@example.com', purpose: '', plan: 'pro' };
    await env.accounts.account.create({ data: { ...account, status: 'active' } });
    const budget = { accountId, keyIds: [], limitNanoUsd: 1_000_000n, window: 'month', timeZone: 'UTC' };
    await env.accounts.budget.create({ data: { ...budget, id: team, name: 'team' } });
    await env.accounts.budget.create({ data: { ...budget, id: others, name: 'others', models: ['acme/*'] } });
    const hold = (budgetId?: string) => ({ lease: 'lease-1', nanoUsd: '90000', ...(budgetId && { budgetId }) });
    const held = makeEvent({ accountId, budgets: [team, team, others, removed].map(hold) });
    const ofOlderEdge = makeEvent({ accountId, budgets: [hold()] });
    const tokens = uuidv7();
    await env.accounts.budget.create({ data: { ...budget, id: tokens, name: 'tokens', unit: 'tokens' } });
    const unit = 'tokens' as const;
    // The budget says its unit, and the hold where there is no such budget any more.
    const ofTokens = makeEvent({ accountId, budgets: [hold(tokens), { ...hold(uuidv7()), unit }] });
    await ingest.ingest([held, ofOlderEdge, ofTokens]);
    expect((await ledger.explain(held.id)).events).toMatchObject([
      {
        storedNanoUsd: '20000',
        budgets: [
          { budgetId: team, name: 'team', heldNanoUsd: '180000', spentNanoUsd: '40000' },
          { budgetId: others, name: 'others', heldNanoUsd: '90000', spentNanoUsd: '0' },
          { budgetId: removed, name: null, heldNanoUsd: '90000', spentNanoUsd: null },
        ],
      },
    ]);
    expect((await ledger.explain(ofOlderEdge.id)).events).toMatchObject([{ budgets: [] }]);
    expect((await ledger.explain(ofTokens.id)).events).toMatchObject([
      {
        budgets: [
          { budgetId: tokens, unit, heldNanoUsd: '90000', spentNanoUsd: '15' },
          { name: null, unit, heldNanoUsd: '90000', spentNanoUsd: null },
        ],
      },
    ]);
  });

  it('adds its lines up to the stored charge, also after the price ended and another began', async () => {
    const ledger = new Ledger(env.databases, new CurrentPrices(env.databases));
    const model = 'test/changing';
    const old = await addPrice(env.catalog, model, { input: '3', output: '4' });
    const event = makeEvent({ model, endedAt: Date.now() - 60_000 });
    await ingest.ingest([event]);
    const changedAt = new Date();
    await env.catalog.price.update({ where: { id: old }, data: { validTo: changedAt } });
    await addPrice(env.catalog, model, { input: '30', output: '40' }, changedAt);
    const [explained] = (await ledger.explain(event.id)).events;
    expect(explained).toMatchObject({
      price: { id: old, source: 'test', validTo: changedAt.getTime() },
      lines: [
        { kind: 'input', tokens: 10, ratePicoUsd: '3000000', amountPicoUsd: '30000000' },
        { kind: 'output', tokens: 5, ratePicoUsd: '4000000', amountPicoUsd: '20000000' },
      ],
      computedNanoUsd: '50000',
      storedNanoUsd: '50000',
    });
  });

  it('is what was quoted for the event before it was stored, also after a price changed', async () => {
    const ledger = new Ledger(env.databases, new CurrentPrices(env.databases));
    const model = 'test/quoted';
    expect(await ledger.quote(makeEvent({ model }))).toEqual({ costNanoUsd: null });
    await addPrice(env.catalog, model, { input: '3', output: '4' }, new Date(Date.now() - 60_000));
    const event = makeEvent({ model });
    const quoted = await ledger.quote(event);
    await ingest.ingest([event]);
    expect(quoted).toEqual({ costNanoUsd: '50000' });
    expect((await ledger.explain(event.id)).events).toMatchObject([{ storedNanoUsd: '50000' }]);
  });

  it('shows a charge that somebody altered in the database, and an event without a price', async () => {
    const ledger = new Ledger(env.databases, new CurrentPrices(env.databases));
    const [altered, unpriced] = [makeEvent(), makeEvent({ model: 'test/nobody-knows' })];
    await ingest.ingest([altered, unpriced]);
    await env.database.$executeRaw`UPDATE usage_event SET cost_nano_usd = 19999 WHERE id = ${altered.id}::uuid`;
    expect((await ledger.explain(altered.id)).events).toMatchObject([
      { computedNanoUsd: '20000', storedNanoUsd: '19999' },
    ]);
    expect((await ledger.explain(unpriced.id)).events).toMatchObject([
      { price: null, lines: [], computedNanoUsd: null, storedNanoUsd: null },
    ]);
    await env.database.$executeRaw`UPDATE usage_event SET cost_nano_usd = 20000 WHERE id = ${altered.id}::uuid`;
  });
});

describe('reservations whose event never came', () => {
  const expiring = () => new QuotaLeases(env.databases, Date.now, 50);
  const ask = (keyId: string, leaseId: string) => {
    return { keyId, leaseId, edgeId: 'edge', sequence: 1, tokens: 100, quotaTokens: 1_000 };
  };
  const expire = () => new Promise((resolve) => setTimeout(resolve, 80));
  const now = () => new UnsettledLeases(env.databases, 0);

  it('are shown with what the lease still held, until their events come or somebody forgets them', async () => {
    const leases = expiring();
    for (const id of ['settled', 'missing', 'late']) await leases.acquire(ask('sweep', id));
    await ingest.ingest([makeEvent({ keyId: 'sweep', lease: 'settled', usage: { input: 100, output: 0 } })]);
    await ingest.ingest([makeEvent({ keyId: 'sweep', lease: 'missing' })]);
    await expire();
    await leases.sweep();
    const unsettled = now();
    const before = await unsettled.look();
    expect(before).toMatchObject({ count: 2, tokens: 185 });
    expect(Object.fromEntries(before.newLeases.map(({ leaseId, tokens }) => [leaseId, tokens]))).toEqual({
      late: 100,
      missing: 85,
    });
    expect((await unsettled.look()).newLeases).toEqual([]);

    const late = makeEvent({ keyId: 'sweep', lease: 'late', usage: { input: 100, output: 0 } });
    await ingest.ingest([late]);
    await ingest.ingest([late]);
    expect(await unsettled.read()).toMatchObject({ count: 1, tokens: 85, leases: [{ leaseId: 'missing' }] });
    await unsettled.forget((await unsettled.read()).leases);
    await unsettled.clean();
    expect(await env.database.unsettledLease.count()).toBe(0);
  });

  it('are noticed when another request removes the ended lease, and not before events had time to come', async () => {
    await expiring().acquire(ask('taken', 'taken-1'));
    await expire();
    await new QuotaLeases(env.databases).acquire(ask('taken', 'taken-2'));
    expect(await new UnsettledLeases(env.databases).read()).toMatchObject({ count: 0 });
    expect(await now().read()).toMatchObject({ count: 1, leases: [{ leaseId: 'taken-1', tokens: 100 }] });
  });
});

describe('usage that Postgres lost after it was acknowledged', () => {
  it('is noticed and stored again, once, with what follows from it; what was there counts no second time', async () => {
    const events = [1, 2, 3, 4].map(() => makeEvent({ keyId: 'lost' }));
    const [first, , third] = events;
    const askedSince: number[] = [];
    const kept = {
      firstSince: async (atMs: number) => askedSince.push(atMs),
      read: async (from: number) => {
        const page = events.slice(from - 1, from + 1);
        return { events: page, problems: [], next: from + 2 > events.length ? null : from + 2 };
      },
    };
    const replay = new KeptReplay(kept, env.databases, env.newIngest());
    for (const event of events) {
      await ingest.ingest([event]);
      replay.stored([event]);
    }
    const looked = replay.lookBack();
    // Committed after the database was asked, which did not lose it.
    const later = makeEvent({ keyId: 'later' });
    replay.stored([later]);
    expect(await looked).toBeNull();
    await ingest.ingest([later]);

    // A standby took over that had heard of the first two only.
    await env.database
      .$executeRaw`DELETE FROM usage_event WHERE key_id = 'lost' AND id NOT IN (${first?.id}::uuid, ${events[1]?.id}::uuid)`;
    expect(await replay.lookBack()).toMatchObject({ stored: 2 });
    expect(askedSince).toEqual([Math.min(third?.endedAt ?? 0, events[3]?.endedAt ?? 0) - 60_000]);
    expect(await env.database.usageEvent.count({ where: { keyId: 'lost' } })).toBe(4);
    expect(await replay.lookBack()).toBeNull();
    expect(await replay.step({ sinceMs: 0, from: 1 })).toEqual({ received: 2, stored: 0, problems: [], next: 3 });
  });
});
