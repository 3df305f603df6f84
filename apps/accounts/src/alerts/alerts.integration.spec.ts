import {
  deploymentHealth,
  healthSubjects,
  type DeploymentHealth,
  type ProviderKeyRest,
} from '@tollgate/contracts/inference';
import {
  contentLogSubjects,
  invoiceOperations,
  meteringOperations,
  reportOperations,
  type DriftLine,
  type ReadBill,
} from '@tollgate/contracts/metering';
import { publishJson, serveOperation } from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import { PeriodicWork } from '@tollgate/service';
import { ExpiredRows } from '../expired-rows';
import { AccountsSettings } from '../settings';
import { Storage } from '../storage';
import { AccountsRig, eventually } from '../testing/accounts-rig';
import { KeyAlerts } from './key-alerts';
import { ProviderAlerts } from './provider-alerts';
import { UsageAlerts } from './usage-alerts';

const dayMs = 86_400_000;
const now = Date.now();

/** What metering answers. */
let deadLetters = 0;
let lines: DriftLine[] = [];
let bills: ReadBill[] = [];
let lastUsedAt: Record<string, number> = {};

let rig: AccountsRig;
/** One that tells when it is asked to, and goes by no clock but that of its test. */
let providers: ProviderAlerts;
beforeAll(async () => {
  rig = await AccountsRig.start();
  const logger = createLogger('spec', 'fatal');
  const status = { reservedTokens: 0, liveLeases: 0, pendingEvents: 0, received: 0, copies: { kept: 1, wanted: 1 } };
  const { connection } = rig;
  const answer =
    <Reply>(reply: () => Reply) =>
    () =>
      Promise.resolve(reply());
  serveOperation(
    connection,
    'metering',
    meteringOperations.status,
    answer(() => ({ ...status, deadLetters, madeAnew: null })),
    logger,
  );
  serveOperation(
    connection,
    'metering',
    invoiceOperations.drift,
    answer(() => ({ lines, bills })),
    logger,
  );
  serveOperation(
    connection,
    'metering',
    reportOperations.usedTokens,
    answer(() => ({ used: {}, resetsAt: 0, lastUsedAt })),
    logger,
  );
  const [storage, settings] = [rig.newest(Storage), rig.newest(AccountsSettings)];
  providers = new ProviderAlerts(connection, storage, settings, new PeriodicWork(logger));
  await connection.flush();
});
afterAll(() => rig?.stop());
beforeEach(async () => {
  await rig.database.webhook.deleteMany();
  await rig.database.toldAlert.deleteMany();
  await rig.database.mail.deleteMany();
  // Nothing is ever sent to this machine: what is told waits.
  await rig.ask('createWebhook', { name: 'hook', url: 'https://localhost:1/' });
});

/** All that the webhook is to be told, in the order in which it was told. */
const bodies = async () => {
  const deliveries = await rig.database.webhookDelivery.findMany({ orderBy: { id: 'asc' } });
  return deliveries.map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> });
};
/** The same without what may be done about it, and where. */
const told = async () =>
  (await bodies()).map(({ type, data: { advice: _advice, link: _link, ...data } }) => ({ type, data }));
/** What may be done about the last one, and where. */
const remedy = async () => {
  const { advice, link } = (await bodies()).at(-1)?.data ?? {};
  return { advice, link };
};
const types = async () => (await told()).map(({ type }) => type);

describe('how providers stand', () => {
  const place = (deployment: string, more: Partial<DeploymentHealth> = {}) =>
    deploymentHealth.parse({
      ...{ deployment, provider: 'acme', state: 'closed', timesOpened: 0, retryInMs: 0, concurrencyLimit: null },
      ...more,
    });
  const open = (deployment: string, openForMs = 61_000) =>
    place(deployment, { state: 'open', openForMs, why: '503', callers: null });
  const busy = { openForMs: 61_000, why: '503' };
  const rest = { provider: 'acme', restsForMs: 60_000, of: null, mark: null };
  const say = (at: number, instance: string, deployments: DeploymentHealth[], restingKeys: ProviderKeyRest[] = []) =>
    providers.heard({ instance, deployments, restingKeys }, at);
  const tell = (at = now) => providers.tell(at);

  it('is told once when every instance leaves a place alone for a minute, and once when none does for a minute', async () => {
    say(now, 'one', [open('acme/a'), place('acme/b')]);
    say(now, 'two', [place('acme/a')]);
    await tell();
    say(now, 'two', [open('acme/a', 59_000)]);
    await tell();
    expect(await told()).toEqual([]);
    say(now, 'two', [open('acme/a')]);
    await Promise.all([tell(), tell()]);
    const text = 'acme is down at 1 of 2 places: acme/a is left alone by every instance (503).';
    const down = {
      type: 'provider.down',
      data: { provider: 'acme', deployments: 'acme/a', count: 1, places: 2, why: '503', text },
    };
    expect(await told()).toEqual([down]);
    expect(await remedy()).toEqual({
      advice: expect.stringContaining('or by a fallback'),
      link: 'https://tollgate.example/admin/deployments',
    });
    const well = async (at: number) => {
      for (const instance of ['one', 'two']) say(at, instance, [place('acme/a')]);
      await tell(at);
    };
    await well(now + 5_000);
    // It fails again in between.
    say(now + 30_000, 'one', [open('acme/a', 1_000)]);
    say(now + 30_000, 'two', [place('acme/a')]);
    await tell(now + 30_000);
    await well(now + 40_000);
    await well(now + 99_000);
    expect(await told()).toEqual([down]);
    await well(now + 100_000);
    const back = 'acme is back: requests go to all of its places again.';
    expect(await told()).toEqual([down, { type: 'provider.back', data: { provider: 'acme', text: back } }]);
    await well(now + 105_000);
    expect(await told()).toHaveLength(2);
  });

  it('is told of a place that goes down later, by itself, and again after it was well for a minute', async () => {
    const both = async (at: number, deployments: DeploymentHealth[]) => {
      say(at, 'one', deployments);
      await tell(at);
    };
    // Long after what was heard before.
    const begin = now + 200_000;
    await both(begin, [open('acme/a'), place('acme/b'), place('acme/c')]);
    await both(begin + 5_000, [open('acme/a'), open('acme/b'), place('acme/c')]);
    await both(begin + 10_000, [open('acme/a'), open('acme/b'), place('acme/c')]);
    await both(begin + 15_000, [open('acme/a'), place('acme/b'), place('acme/c')]);
    await both(begin + 75_000, [open('acme/a'), place('acme/b'), place('acme/c')]);
    await both(begin + 80_000, [open('acme/a'), open('acme/b'), open('acme/c')]);
    expect((await told()).map(({ type, data }) => [type, data.deployments, data.count, data.places])).toEqual([
      ['provider.down', 'acme/a', 1, 3],
      ['provider.down', 'acme/b', 2, 3],
      ['provider.down', 'acme/b, acme/c', 3, 3],
    ]);
  });

  it('is not told of what an operator holds, of what one caller alone meets, or of instances that are gone', async () => {
    const held = { state: 'closed', reason: null, by: 'cli:ada', since: 1, until: null } as const;
    say(now, 'one', [
      { ...open('acme/a'), held },
      { ...open('acme/b'), callers: 1 },
    ]);
    await tell();
    say(now, 'one', [open('acme/c')]);
    await tell(now + 16_000);
    expect(await told()).toEqual([]);
  });

  it.each([
    ['all keys are of one account, and none of them is answered', open('solo/a'), 2],
    ['a server says to everybody that it is busy, while requests go on', place('solo/a', busy), 0],
  ])('is told where %s', async (_, seen, callers) => {
    const begin = now + 400_000;
    const alone = { ...seen, callers, answersNobody: true };
    say(begin, 'one', [alone]);
    await tell(begin);
    const text = 'acme is down at 1 of 1 place: solo/a answers none of the keys that ask (503).';
    const data = { provider: 'acme', deployments: 'solo/a', count: 1, places: 1, why: '503', text };
    expect(await told()).toEqual([{ type: 'provider.down', data }]);
    for (const at of [5_000, 65_000]) {
      say(begin + at, 'one', [{ ...alone, answersNobody: false }]);
      await tell(begin + at);
    }
    expect((await told()).map(({ type }) => type)).toEqual(['provider.down', 'provider.back']);
  });

  it('names a key that is refused, once a day, and none that is only out of its limits', async () => {
    const refused = { ...rest, key: 2, deployment: null, status: 401 };
    const limited = { ...rest, key: 1, deployment: 'acme/a', status: 429 };
    say(now, 'one', [place('acme/a')], [refused, limited]);
    await tell();
    await tell();
    const text = 'Key 2 of acme is refused (401); its other keys are asked in its place.';
    expect(await told()).toEqual([
      { type: 'provider.key_refused', data: { provider: 'acme', key: 2, status: 401, text } },
    ]);
    expect(await remedy()).toEqual({
      advice: expect.stringContaining('a new key'),
      link: 'https://tollgate.example/admin/providers/acme',
    });
    await rig.database.toldAlert.updateMany({ data: { forgetAt: new Date(now - 1) } });
    await tell();
    expect(await told()).toHaveLength(2);
  });

  it('is heard from what inference tells', async () => {
    publishJson(rig.connection, healthSubjects.report, { instance: 'three', deployments: [open('acme/z')] });
    await eventually(async () => (await types()).includes('provider.down'), 15_000);
    // Else the tests that follow are told of it, too.
    rig.newest(ProviderAlerts).heard({ instance: 'three', deployments: [], restingKeys: [] }, Date.now());
  });
});

describe('keys', () => {
  const tell = async () => {
    await rig.newest(KeyAlerts).tellOfEnding(now);
    await rig.newest(KeyAlerts).tellOfUnused(now);
  };

  it('that end within two weeks are told once, to their owners by mail, too, and not those that were rotated or made for a short time', async () => {
    await rig.activeAccount('ada@example.com');
    const key = async (name: string, days: number) =>
      (await rig.ask('createKey', { email: 'ada@example.com', name, expiresAt: now + days * dayMs })).key;
    const soon = await key('soon', 13);
    await key('late', 15);
    const rotated = await key('rotated', 30);
    await rig.ask('rotateKey', { keyId: rotated.id, overlapS: 3_600 });
    await rig.database.apiKey.updateMany({ data: { createdAt: new Date(now - 30 * dayMs) } });
    await key('made for a week', 7);
    await rig.database.mail.deleteMany();
    await Promise.all([tell(), tell()]);
    await tell();
    const ends = new Date(now + 13 * dayMs).toISOString();
    expect((await told()).filter(({ type }) => type === 'key.expiring')).toEqual([
      {
        type: 'key.expiring',
        data: {
          ...{ key_id: soon.id, name: 'soon', display: soon.display, account_id: soon.accountId, expires_at: ends },
          text: `The key soon (${soon.display}) of ada@example.com ends at ${ends}.`,
        },
      },
    ]);
    expect((await bodies()).find(({ type }) => type === 'key.expiring')?.data).toMatchObject({
      advice: expect.stringContaining('let it last longer'),
      link: `https://tollgate.example/admin/keys/${soon.id}`,
    });
    const { mails } = await rig.ask('listMails', {});
    expect(mails.map(({ recipient, subject }) => [recipient, subject])).toEqual([
      ['ada@example.com', `The key soon ends on ${ends.slice(0, 10)}`],
    ]);
    expect(mails[0]?.body).toContain('https://tollgate.example/keys');
    // Another end is another thing to know.
    await rig.ask('updateKey', { keyId: soon.id, expiresAt: now + 12 * dayMs });
    await tell();
    expect((await rig.ask('listMails', {})).mails).toHaveLength(2);
  });

  it('that nobody used for 90 days are told once in so long, those that are younger are not', async () => {
    await rig.activeAccount('eve@example.com');
    const make = async (name: string) => (await rig.ask('createKey', { email: 'eve@example.com', name })).key;
    const [idle, used, never] = [await make('idle'), await make('used'), await make('never')];
    await make('young');
    const old = [idle.id, used.id, never.id];
    await rig.database.apiKey.updateMany({
      where: { id: { in: old } },
      data: { createdAt: new Date(now - 91 * dayMs) },
    });
    lastUsedAt = { [idle.id]: now - 90 * dayMs, [used.id]: now - 89 * dayMs };
    await tell();
    await tell();
    const unused = (await told()).filter(({ type }) => type === 'key.unused');
    expect(new Map(unused.map(({ data }) => [data.name, data.last_used_at]))).toEqual(
      new Map([
        ['never', null],
        ['idle', new Date(now - 90 * dayMs).toISOString()],
      ]),
    );
    expect(unused).toHaveLength(2);
    const links = (await bodies()).filter(({ type }) => type === 'key.unused').map(({ data }) => data.link);
    const pages = [idle.id, never.id].map((id) => `https://tollgate.example/admin/keys/${id}`);
    expect(new Set(links)).toEqual(new Set(pages));
  });

  it('that nobody used are one alert for people, however many they are', async () => {
    const { id: accountId } = await rig.activeAccount('ida@example.com');
    const idle = (name: string) => rig.ask('createKey', { email: 'ida@example.com', name });
    for (let index = 0; index < 12; index++) await idle(`idle ${index}`);
    const data = { createdAt: new Date(now - 91 * dayMs) };
    await rig.database.apiKey.updateMany({ where: { accountId }, data });
    const { webhook } = await rig.ask('createWebhook', { name: 'slack', url: 'https://slack.example/', form: 'slack' });
    for (let time = 0; time < 2; time++) await tell();
    const deliveries = await rig.database.webhookDelivery.findMany({ where: { kind: 'key.unused' } });
    const [forPeople, ...more] = deliveries.filter(({ webhookId }) => webhookId === webhook.id);
    const count = deliveries.length - 1;
    expect(more).toEqual([]);
    expect(forPeople?.body).toMatch(new RegExp(`${count} keys were not .* and ${count - 10} more.*keys.show=asleep`));
    expect(forPeople?.body.match(/ \(tg_/g)).toHaveLength(10);
  });
});

describe('usage', () => {
  const alerts = () => rig.newest(UsageAlerts);

  it('that could not be stored is told once, and anew once there was none', async () => {
    for (const count of [2, 3, 0, 1]) {
      deadLetters = count;
      await alerts().tellDeadLetters();
    }
    deadLetters = 0;
    expect((await told()).map(({ data }) => data)).toEqual([
      { dead_letters: 2, text: "2 messages with usage could not be stored, and are on nobody's bill." },
      { dead_letters: 1, text: "A message with usage could not be stored, and is on nobody's bill." },
    ]);
    expect(await remedy()).toEqual({
      advice: expect.stringContaining('then replay them'),
      link: 'https://tollgate.example/admin/dead-letters',
    });
  });

  it('that a provider bills otherwise is told once for its newest day, and a cent is not', async () => {
    const bill = (provider: string, day: string, ratedAt: number | null = 1): ReadBill => ({
      ...{ provider, day, source: 'api', readAt: 1, ratedAt, problem: null },
    });
    const line = (provider: string, day: string, billedUsd: number, driftUsd: number): DriftLine => ({
      ...{ day, provider, model: 'm', kind: 'input', unbilledPicoUsd: '0', requests: 1, unpriced: 0 },
      ...{ billedQuantity: null, ratedQuantity: null, estimatedQuantity: 0, estimatedPicoUsd: '0' },
      billedPicoUsd: String(billedUsd * 1e12),
      ratedPicoUsd: String((billedUsd - driftUsd) * 1e12),
      driftPicoUsd: String(driftUsd * 1e12),
    });
    bills = [
      bill('acme', '2026-11-22', null),
      bill('acme', '2026-11-21'),
      bill('acme', '2026-11-20'),
      bill('beta', '2026-11-21'),
    ];
    lines = [
      line('acme', '2026-11-21', 100, 2),
      line('acme', '2026-11-20', 100, 50),
      line('beta', '2026-11-21', 1, 0.01),
    ];
    await Promise.all([alerts().tellBills(now), alerts().tellBills(now)]);
    const text = 'acme bills $100.00 for 2026-11-21, which is $2.00 away from our prices.';
    const data = { provider: 'acme', day: '2026-11-21', billed_usd: '100.00', drift_usd: '2.00', text };
    expect(await told()).toEqual([{ type: 'bill.drift', data }]);
    expect(await remedy()).toEqual({
      advice: expect.stringContaining('Correct a price'),
      link: 'https://tollgate.example/admin/bills',
    });
  });

  it('that edges could not log is told at once, once an hour', async () => {
    const dropped = { edge: 'edge-1', entries: 12, reasons: { full: 11, too_large: 1 } };
    for (let times = 0; times < 2; times++) publishJson(rig.connection, contentLogSubjects.dropped, dropped);
    await eventually(async () => (await types()).length > 0);
    const text = 'An edge dropped 12 requests that were to be logged (full, too_large).';
    const data = { edge: 'edge-1', entries: 12, reasons: 'full, too_large', text };
    expect(await told()).toEqual([{ type: 'content.dropped', data }]);
    const { advice, link } = await remedy();
    for (const part of ['no request failed', 'Bring back metering', 'max_payload']) expect(advice).toContain(part);
    expect(link).toBe('https://tollgate.example/admin/fleet');
    await rig.newest(ExpiredRows).remove(now + 7_200_000);
    publishJson(rig.connection, contentLogSubjects.dropped, dropped);
    await eventually(async () => (await types()).length === 2);
  });
});

it('keeps nothing of dropped content where nobody is to be told', async () => {
  await rig.database.webhook.deleteMany();
  await rig.newest(UsageAlerts).tellDropped({ edge: 'edge-1', entries: 1, reasons: { full: 1 } }, now);
  expect(await rig.database.toldAlert.count()).toBe(0);
});

it('sends an alert as a mail where a webhook has an address for it, once, and shows that address', async () => {
  await rig.database.webhook.deleteMany();
  const wish = { name: 'ops', form: 'mail' as const, kinds: ['access.requested' as const] };
  for (const url of ['https://example.org/', 'mailto:ops', 'mailto:a@b.org,c@d.org', 'mailto:a@b.org?bcc=c@d.org'])
    await expect(rig.ask('createWebhook', { ...wish, url })).rejects.toMatchObject({ code: 'invalid' });
  const { webhook } = await rig.ask('createWebhook', { ...wish, url: 'mailto:ops@example.org' });
  expect(webhook).toMatchObject({ host: 'ops@example.org', form: 'mail' });
  await rig.ask('requestAccess', { name: 'Bob', email: 'bob@example.com' });
  await eventually(async () => (await rig.ask('webhookDeliveries', {})).deliveries[0]?.deliveredAt !== null, 10_000);
  const { mails } = await rig.ask('listMails', {});
  expect(mails.filter(({ recipient }) => recipient === 'ops@example.org')).toMatchObject([
    { subject: 'Bob (bob@example.com) asks for access.', body: expect.stringContaining('as ops.') },
  ]);
  const where = '\n\nApprove or decline it.\n\nhttps://tollgate.example/admin/accounts?status=pending\n\n';
  expect(mails.find(({ recipient }) => recipient === 'ops@example.org')?.body).toContain(where);
});
