import { deploymentHealth, type DeploymentHealth } from '@tollgate/contracts/inference';
import type { Database } from '@tollgate/database';
import { createCatalogDatabase } from '@tollgate/database/catalog';
import { startMigratedPostgres } from '@tollgate/database/testing';
import type { PostgresServer } from '@tollgate/testing';
import { Incidents } from './incidents';
import { toldIncidents } from './told-incidents';

const dayMs = 86_400_000;
const noon = Date.UTC(2026, 10, 25, 12);

let postgres: PostgresServer;
let database: Database<'catalog'>;
let incidents: Incidents;
beforeAll(async () => {
  postgres = await startMigratedPostgres();
  database = createCatalogDatabase(postgres.url);
  incidents = new Incidents(database);
});
afterAll(async () => {
  await database.$disconnect();
  await postgres.stop();
});
afterEach(() => database.incident.deleteMany({}));

const seen = (changes: Partial<DeploymentHealth> = {}): DeploymentHealth =>
  deploymentHealth.parse({
    ...{ deployment: 'acme-eu', provider: 'acme', state: 'open', timesOpened: 1, retryInMs: 0, concurrencyLimit: null },
    ...{ openForMs: 0, why: '503' },
    ...changes,
  });
const take = (at: number, ...deployments: DeploymentHealth[]) => incidents.write(toldIncidents({ deployments }, at));
const listed = async (nowMs: number, asked = {}) => (await incidents.list({ limit: 100, ...asked }, nowMs)).incidents;

it('is one, from the first failure on, however many instances tell of it and however often it opens', async () => {
  await take(noon, seen({ openForMs: 2_000, callers: 1 }));
  await take(noon + 1_000, seen({ callers: 3, why: 'no answer' }), seen({ deployment: 'acme-us', state: 'closed' }));
  await take(noon + 10_000, seen({ state: 'half-open', callers: 2, why: null }));
  const told = { deployment: 'acme-eu', provider: 'acme', kind: 'failing', since: noon - 2_000, by: null };
  expect(await listed(noon + 30_000)).toEqual([{ ...told, until: null, why: 'no answer', callers: 3 }]);
  expect(await listed(noon + 30_001)).toEqual([{ ...told, until: noon + 10_000, why: 'no answer', callers: 3 }]);
  await take(noon + 30_000, seen({ callers: null }));
  expect(await listed(noon + 30_000)).toMatchObject([{ until: null, callers: null }]);
});

it('is another when nobody told of it for 20 s', async () => {
  await take(noon, seen());
  await take(noon + 20_001, seen());
  expect(await listed(noon + 20_002)).toMatchObject([
    { since: noon + 20_001, until: null },
    { since: noon, until: noon },
  ]);
});

it('of a deployment may be several in one turn, and a cause that comes late is none of a newer moment', async () => {
  await take(noon, seen({ why: '500' }));
  const late = toldIncidents({ deployments: [seen({ why: '503' })] }, noon + 60_000);
  const before = toldIncidents({ deployments: [seen({ why: '429' })] }, noon - 1_000);
  await incidents.write([...toldIncidents({ deployments: [seen({ why: '502' })] }, noon + 10_000), ...late]);
  await incidents.write(before);
  expect(await listed(noon + 60_000)).toMatchObject([
    { since: noon + 60_000, why: '503', until: null },
    { since: noon, why: '502', until: noon + 10_000 },
  ]);
});

it.each([0, 1])('are as many of a deployment whoever else tells of them, and be it %i ms later', async (laterMs) => {
  const failures = (ms: number) =>
    [noon, noon + 3_600_000].flatMap((at) => toldIncidents({ deployments: [seen()] }, at + ms));
  for (const told of [failures(0), failures(laterMs), failures(laterMs).reverse()]) {
    await incidents.write(told);
    // Many incidents, as the planner chooses another way then.
    await take(noon, ...Array.from({ length: 300 }, (_, index) => seen({ deployment: `acme-${index}` })));
    await database.$executeRaw`ANALYZE incident`;
  }
  expect((await listed(noon, { deployment: 'acme-eu' })).map(({ since }) => since)).toEqual([noon + 3_600_000, noon]);
});

it('is begun once, when several catalogs write at once: whoever finds another writing leaves it', async () => {
  const other = new Incidents(database);
  const written = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      (index % 2 ? other : incidents).write(toldIncidents({ deployments: [seen()] }, noon + index)),
    ),
  );
  expect(written).toContain(true);
  expect(await listed(noon)).toHaveLength(1);
});

it('tells of an operator’s decisions beside failures, by whom and why, each by itself', async () => {
  const held = { state: 'closed' as const, reason: 'maintenance', by: 'ada@example.com', since: noon, until: null };
  await take(noon + 1_000, seen({ held }));
  await take(noon + 6_000, seen({ state: 'closed', why: null, held: { ...held, since: noon + 5_000, reason: null } }));
  // Every instance was away for a minute: the decision went on.
  await take(noon + 66_000, seen({ state: 'closed', why: null, held: { ...held, since: noon + 5_000, reason: null } }));
  const decided = { kind: 'closed', by: 'ada@example.com', callers: null };
  expect(await listed(noon + 70_000)).toEqual([
    { deployment: 'acme-eu', provider: 'acme', ...decided, since: noon + 5_000, until: null, why: null },
    expect.objectContaining({ kind: 'failing', since: noon + 1_000, until: noon + 1_000, by: null }),
    expect.objectContaining({ ...decided, since: noon, until: noon + 1_000, why: 'maintenance' }),
  ]);
});

it('is told of one provider or deployment, the newest first, and never more than are asked for', async () => {
  await take(noon, seen(), seen({ deployment: 'home-1', provider: 'home', openForMs: 9_000 }));
  const names = async (asked: object) => (await listed(noon, asked)).map(({ deployment }) => deployment);
  expect(await names({})).toEqual(['acme-eu', 'home-1']);
  expect(await names({ provider: 'home' })).toEqual(['home-1']);
  expect(await names({ deployment: 'acme-eu' })).toEqual(['acme-eu']);
  expect(await incidents.list({ limit: 1 }, noon)).toMatchObject({ incidents: [{}], isWhole: false });
});

it('is told page by page to the last, also of those that began in the same moment', async () => {
  const held = { state: 'closed' as const, reason: null, by: 'ada', since: noon, until: null };
  await take(noon, seen({ held }), ...['b', 'c'].map((id) => seen({ deployment: `acme-${id}` })));
  await take(noon + 60_000, seen({ openForMs: 1 }));
  const whole = await listed(noon + 60_000);
  const pages: string[] = [];
  let after: string | undefined;
  do {
    const page = await incidents.list({ limit: 2, after }, noon + 60_000);
    pages.push(...page.incidents.map(({ deployment, kind, since }) => `${deployment} ${kind} ${since}`));
    after = page.next ?? undefined;
    expect(page.isWhole).toBe(after === undefined);
  } while (after !== undefined);
  expect(whole).toHaveLength(5);
  expect(pages).toEqual(whole.map(({ deployment, kind, since }) => `${deployment} ${kind} ${since}`));
  const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  for (const none of ['nothing', cursorOf([1e300, 'a', 'b']), cursorOf([-1, 'a', 'b']), cursorOf([1, '\0', 'b'])])
    await expect(incidents.list({ limit: 2, after: none }, noon)).rejects.toMatchObject({ code: 'invalid' });
});

it('is kept for 90 days, and so are no more than 10,000', async () => {
  await take(noon, seen());
  await take(noon + 1_000, seen({ deployment: 'acme-us' }));
  expect(await incidents.sweep(noon + 90 * dayMs + 1)).toBe(1);
  expect(await listed(noon)).toMatchObject([{ deployment: 'acme-us' }]);
  const many = Array.from({ length: 10_002 }, (_, index) => seen({ deployment: `acme-${index}` }));
  await take(noon + 2_000, ...many);
  expect(await incidents.sweep(noon + 2_000)).toBe(3);
  expect(await listed(noon, { deployment: 'acme-us' })).toEqual([]);
});
