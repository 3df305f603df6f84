import 'reflect-metadata';
import { usageStream } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { ledgerOperations, meteringOperations, reportOperations } from '@tollgate/contracts/metering';
import { ControlClient, connectToNats, UsagePublisher } from '@tollgate/messaging';
import { Service } from '@tollgate/service';
import { eventually, patience, startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { setTimeout as delay } from 'node:timers/promises';
import { metering } from './metering.module';
import { MeteringSettings } from './settings';
import { makeEvent } from './testing/make-event';
import { startMeteringDatabase } from './testing/metering-database';
import type { MeteringDatabase } from './testing/metering-database';

describe('metering', () => {
  let env: MeteringDatabase;
  let nats: NatsServer;
  let connection: NatsConnection;
  let client: ControlClient;
  let publisher: UsagePublisher;
  let services: Service<MeteringSettings>[];
  let internalPorts: number[];

  beforeAll(async () => {
    env = await startMeteringDatabase();
    nats = await startNatsServer();
    const settings = new MeteringSettings({
      NATS_URL: nats.url,
      DATABASE_URL: env.postgres.url,
      LOG_LEVEL: 'silent',
      INTERNAL_PORT: '0',
    });
    Object.assign(settings.operationTimes, {
      connectTimeoutMs: 1_000 * patience,
      statementTimeoutMs: 1_500 * patience,
    });
    services = [new Service(metering, settings), new Service(metering, settings)];
    internalPorts = await Promise.all(services.map((service) => service.start()));
    connection = await connectToNats({ url: nats.url, name: 'test' });
    client = new ControlClient(connection);
    publisher = new UsagePublisher(connection);
  });
  afterAll(async () => {
    await connection.close();
    await Promise.all(services.map(async (service) => service.isStopping || service.stop()));
    await nats.stop();
    await env.stop();
  });

  const publish = async (events: UsageEvent[]) => {
    for (const event of events) publisher.publish(event);
    await publisher.flush(30_000);
  };
  /** With the time that a busy machine needs. */
  const ask: ControlClient['call'] = (operation, request) =>
    client.call(operation, request, { timeoutMs: 2_000 * patience });
  const recounted = (keyId: string) => ask(meteringOperations.recount, { keyId });
  /** Waits until so many events of a key are stored. */
  const stored = (keyId: string, events: number) =>
    eventually(async () => (await env.database.usageEvent.count({ where: { keyId } }).catch(() => 0)) >= events);
  /** Waits until all that was published is stored, counted and acknowledged. */
  const settled = () => eventually(async () => (await ask(meteringOperations.status, {})).pendingEvents === 0);

  it('shows usage within two seconds of the end of a request', async () => {
    const keyId = 'soon';
    const publishedAt = Date.now();
    await publish([makeEvent({ keyId })]);
    let used = 0;
    while (used === 0) {
      used = (await ask(meteringOperations.usage, { keyId, quotaTokens: 100 })).used;
      expect(Date.now() - publishedAt).toBeLessThan(2_000 * patience);
    }
    const { totals } = await ask(meteringOperations.metrics, { keyId, period: 'hour' });
    expect(totals).toMatchObject({ requests: 1, inputTokens: 10, outputTokens: 5, costNanoUsd: '20000' });
  });

  it('shows what it stored, what waits, and that Postgres is there', async () => {
    const figures = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const sum = async (name: string) => {
      const texts = await Promise.all(internalPorts.map(figures));
      return texts.reduce((total, text) => total + Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]), 0);
    };
    await settled();
    const before = await sum('tollgate_metering_cost_usd_total');
    await publish([makeEvent({ keyId: 'shown' })]);
    await stored('shown', 1);
    await settled();
    // 20,000 nano-dollars.
    expect((await sum('tollgate_metering_cost_usd_total')) - before).toBeCloseTo(0.00002, 9);
    const text = await eventually(
      () => figures(internalPorts[0] ?? 0),
      (told) => /^tollgate_metering_pending_messages 0$/m.test(told),
    );
    expect(text).toMatch(/^tollgate_metering_dead_letters 0$/m);
    expect(text).toMatch(/^tollgate_ready\{check="postgres"\} 1$/m);
    expect(await sum('tollgate_metering_last_stored_timestamp_seconds')).toBeGreaterThan(Date.now() / 1_000 - 60);
  });

  it('says that the stream of usage was made anew where there was usage before it, and not where it is the first', async () => {
    expect(await ask(meteringOperations.status, {})).toMatchObject({ madeAnew: null });
    const endedAt = Date.now() - 3_600_000;
    await publish([makeEvent({ keyId: 'former', startedAt: endedAt - 1_000, endedAt })]);
    await stored('former', 1);
    const { created } = await (await connection.jetstreamManager()).streams.info(usageStream.name);
    expect(await ask(meteringOperations.status, {})).toMatchObject({ madeAnew: Date.parse(created) });
  });

  /** For one of three end users, under one or two tags, or for nobody. */
  const attributed = (index: number): Pick<UsageEvent, 'attribution'> =>
    index % 4 === 0
      ? {}
      : { attribution: { endUser: `user-${index % 3}`, tags: index % 2 ? ['all'] : ['all', 'team=search'] } };
  /** Of each end user and of nobody, as a report of the last day tells them together. */
  const slicesOf = async (keyId: string, divideBy: 'end_user' | 'tag') => {
    const { totals, sliced } = await ask(meteringOperations.metrics, { keyId, period: 'day', divideBy });
    if (!sliced) throw new Error('the report is not divided');
    const { slices, other, none } = sliced;
    const costs = [...slices, other, none].map(({ costNanoUsd }) => BigInt(costNanoUsd));
    const requests = Object.fromEntries(slices.map((slice) => [slice.name, slice.requests]));
    return { requests, none: none.requests, whole: totals.costNanoUsd, sum: String(costs.reduce((a, b) => a + b)) };
  };

  it('answers charts in columns to who reads them, and in points to an edge of the release before', async () => {
    const [keyId, endedAt] = ['charted', Date.now() - 60_000];
    await publish([makeEvent({ keyId, endedAt }), makeEvent({ keyId, endedAt: endedAt - 3_600_000, state: 'failed' })]);
    await stored(keyId, 2);
    const window = { startAt: endedAt - 7_200_000, endAt: endedAt + 60_000, step: 'hour' as const };
    const { quick: _, ...before } = reportOperations.series;
    const chart = { ...window, keyIds: [keyId] };
    const told = await ask(reportOperations.series, chart);
    expect(told).toMatchObject({
      totals: { requests: 2, failed: 1 },
      lines: [{ points: [{ failed: 1 }, { failed: 0 }] }],
    });
    expect(JSON.stringify(await ask(before, chart))).toBe(JSON.stringify(told));
    const forms = [];
    for (const inColumns of [true, undefined]) {
      const packet = { pattern: before.subject, data: { ...chart, inColumns }, id: 'clear' };
      forms.push(
        (await connection.request(before.subject, JSON.stringify(packet), { timeout: 2_000 * patience })).json(),
      );
    }
    expect(forms).toMatchObject([
      { response: { starts: expect.any(Array) } },
      { response: { lines: [{ points: [{ failed: 1 }, { failed: 0 }] }] } },
    ]);
  });

  it('gives the same totals when every event is delivered twice', async () => {
    const events = Array.from({ length: 300 }, (_, index) => makeEvent({ keyId: 'twice', ...attributed(index) }));
    await publish(events);
    // Other bytes, so that JetStream itself does not drop them as duplicates.
    for (const event of events)
      await connection.jetstream().publish(usageStream.subject, JSON.stringify([event, event]));
    await stored('twice', 300);
    await settled();
    expect(await recounted('twice')).toMatchObject({ events: 300, costNanoUsd: '6000000', differences: [] });
    const requests = { 'user-0': 75, 'user-1': 75, 'user-2': 75 };
    expect(await slicesOf('twice', 'end_user')).toEqual({ requests, none: 75, whole: '6000000', sum: '6000000' });
    expect(await slicesOf('twice', 'tag')).toMatchObject({ requests: { all: 225, 'team=search': 75 }, none: 75 });
  });

  it('loses nothing when Postgres is killed in the middle, says so quickly meanwhile, and goes on by itself', async () => {
    const keyId = 'crash';
    const events = Array.from({ length: 2_000 }, (_, index) => makeEvent({ keyId, ...attributed(index) }));
    for (const [index, event] of events.entries()) {
      publisher.publish(event);
      if (index % 50 === 49) await delay(5);
      if (index === 1_000) await env.postgres.kill();
    }
    await publisher.flush(30_000);
    await expect(ask(meteringOperations.usage, { keyId, quotaTokens: null })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('database') as string,
    });
    await env.postgres.restart();
    await stored(keyId, 2_000);
    expect(await recounted(keyId)).toMatchObject({ events: 2_000, costNanoUsd: '40000000', differences: [] });
    const whole = { none: 500, whole: '40000000', sum: '40000000' };
    expect(await slicesOf(keyId, 'end_user')).toMatchObject(whole);
  });

  it('puts what cannot be stored among the dead letters, and everything else of the same message in the database', async () => {
    const good = makeEvent({ keyId: 'letters' });
    const { deadLetters } = await ask(meteringOperations.status, {});
    const bodies = ['not json', JSON.stringify([{ id: 1 }, good]), JSON.stringify([{ ...good, id: 'no uuid' }])];
    for (const body of bodies) await connection.jetstream().publish(usageStream.subject, body);
    const status = await eventually(
      () => ask(meteringOperations.status, {}),
      (told) => told.deadLetters >= deadLetters + 3 && told.pendingEvents === 0,
    );
    expect(status).toMatchObject({ deadLetters: deadLetters + 3, reservedTokens: 0, liveLeases: 0 });
    expect(await recounted('letters')).toMatchObject({ events: 1, differences: [] });
  });

  it('shows dead letters, stores what can be read by now once, and removes a letter when nothing unreadable is left', async () => {
    const known = makeEvent({ keyId: 'replay' });
    const born = makeEvent({ keyId: 'replay' });
    await publish([known]);
    await stored('replay', 1);
    // As an older release would have left it: events that it could not read, which this one can.
    const jetstream = connection.jetstream();
    const whole = await jetstream.publish(usageStream.deadLetterSubject, JSON.stringify([known, born, born]));
    const mixed = await jetstream.publish(usageStream.deadLetterSubject, JSON.stringify([known, { id: 7 }]));
    const letters = (await ask(ledgerOperations.listDeadLetters, { after: whole.seq - 1 })).letters;
    expect(letters.map(({ sequence }) => sequence)).toEqual([whole.seq, mixed.seq]);
    const shown = await ask(ledgerOperations.showDeadLetter, { sequence: mixed.seq });
    expect(shown.body).toBe(JSON.stringify([known, { id: 7 }]));

    const replay = (sequence: number) => ask(ledgerOperations.replayDeadLetter, { sequence });
    const [first, second] = await Promise.allSettled([replay(whole.seq), replay(whole.seq)]);
    const results = [first, second].flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(results.reduce((sum, each) => sum + each.stored, 0)).toBe(1);
    expect(results.some(({ removed }) => removed)).toBe(true);
    await expect(replay(whole.seq)).rejects.toMatchObject({ code: 'not_found' });
    const stuck = await replay(mixed.seq);
    expect(stuck).toMatchObject({ stored: 0, alreadyStored: 1, removed: false });
    expect(stuck.problems).toEqual([expect.stringContaining('Event 1')]);
    expect(await recounted('replay')).toMatchObject({ events: 2, differences: [] });

    await ask(ledgerOperations.dropDeadLetter, { sequence: mixed.seq });
    await expect(ask(ledgerOperations.dropDeadLetter, { sequence: mixed.seq })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await ask(ledgerOperations.listDeadLetters, { after: whole.seq - 1 })).toEqual({
      letters: [],
      next: null,
    });
  });

  it('lists dead letters in pages, past those that were removed', async () => {
    const jetstream = connection.jetstream();
    const sequences: number[] = [];
    for (let i = 0; i < 5; i++)
      sequences.push((await jetstream.publish(usageStream.deadLetterSubject, `letter ${i}`)).seq);
    const [first = 0, second = 0] = sequences;
    await ask(ledgerOperations.dropDeadLetter, { sequence: second });
    const page = await ask(ledgerOperations.listDeadLetters, { after: first - 1, limit: 3 });
    expect(page.letters.map(({ sequence }) => sequence)).toEqual([sequences[0], sequences[2], sequences[3]]);
    expect(page.next).toBe(sequences[3]);
    const rest = await ask(ledgerOperations.listDeadLetters, { after: page.next ?? 0, limit: 3 });
    expect(rest).toMatchObject({ letters: [{ sequence: sequences[4] }], next: null });
  });

  it('explains a charge and looks for missing events over NATS', async () => {
    const event = makeEvent({ keyId: 'explained' });
    await publish([event]);
    await stored('explained', 1);
    const { events } = await ask(ledgerOperations.explain, { id: event.id });
    expect(events).toMatchObject([{ event: { id: event.id }, computedNanoUsd: '20000', storedNanoUsd: '20000' }]);
    expect(await ask(ledgerOperations.sweep, {})).toMatchObject({ leases: [], count: 0, tokens: 0 });
  });

  it('plays usage again that was acknowledged, and counts none of it twice', async () => {
    const event = makeEvent({ keyId: 'again' });
    await publish([event]);
    await stored('again', 1);
    let received = 0;
    for (let from: number | null = null; ;) {
      const step: { received: number; stored: number; next: number | null } = await ask(ledgerOperations.replayUsage, {
        sinceMs: event.endedAt - 60_000,
        from,
      });
      expect(step.stored).toBe(0);
      received += step.received;
      from = step.next;
      if (from === null) break;
    }
    expect(received).toBeGreaterThan(0);
    expect(await recounted('again')).toMatchObject({ requests: 1, differences: [] });
  });

  it('grants, counts and renews leases over NATS', async () => {
    const lease = { leaseId: 'wire', sequence: 1, keyId: 'wire', edgeId: 'edge-1', tokens: 80, quotaTokens: 100 };
    const reply = await ask(meteringOperations.acquireLease, lease);
    expect(reply).toMatchObject({ granted: 80, ttlMs: 60_000, record: { used: 0, quota: 100, remaining: 100 } });
    expect(await ask(meteringOperations.status, {})).toMatchObject({ reservedTokens: 80, liveLeases: 1 });
    const leases = [
      { leaseId: 'wire', giveBackTokens: 80, close: true },
      { leaseId: 'unknown', giveBackTokens: 0, close: false },
    ];
    expect(await ask(meteringOperations.renewLeases, { edgeId: 'edge-1', leases })).toMatchObject({
      renewed: ['wire'],
    });
    expect(await ask(meteringOperations.status, {})).toMatchObject({ reservedTokens: 0 });
  });

  it('stores and acknowledges the batch at hand before its databases and NATS are closed', async () => {
    const waiting = async () => {
      const [row] = await env.database.$queryRaw<{ count: bigint }[]>`
        SELECT count(*) FROM pg_locks WHERE relation = 'usage_event'::regclass AND NOT granted`;
      return row?.count === 1n;
    };
    let stops: Promise<void>[] = [];
    await env.database.$transaction(
      async (transaction) => {
        await transaction.$executeRaw`LOCK TABLE usage_event IN SHARE ROW EXCLUSIVE MODE`;
        await publish([makeEvent({ keyId: 'stop' })]);
        await eventually(waiting);
        stops = services.map((service) => service.stop());
        // One instance has nothing to finish, and is gone before the other may go on.
        await Promise.any(stops);
      },
      { timeout: 30_000 * patience },
    );
    await Promise.all(stops);
    expect(await env.database.usageEvent.count({ where: { keyId: 'stop' } })).toBe(1);
    const { consumers } = await connection.jetstreamManager();
    await eventually(
      () => consumers.info(usageStream.name, usageStream.consumer),
      (consumer) => consumer.num_ack_pending === 0 && consumer.num_pending === 0,
    );
  });
});
