import { uuidv7 } from '@tollgate/contracts';
import type { NewLoggedContent } from '@tollgate/contracts/metering';
import { startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { ContentLog } from './content-log';

const dayMs = 86_400_000;

let store: MeteringDatabase;
let nowMs = Date.UTC(2026, 10, 21);
let log: ContentLog;
beforeAll(async () => {
  store = await startMeteringDatabase();
  log = new ContentLog(store.databases, () => nowMs);
});
afterAll(() => store.stop());

function entry(changes: Partial<NewLoggedContent> = {}): NewLoggedContent {
  return {
    id: uuidv7(),
    requestId: 'request',
    keyId: 'key-1',
    accountId: 'account-1',
    model: 'openai/gpt-5.4-mini',
    surface: 'openai-chat',
    stream: false,
    state: 'completed',
    status: 200,
    cached: false,
    startedAt: nowMs - 500,
    endedAt: nowMs,
    redactions: 1,
    requestTruncated: false,
    answerTruncated: true,
    request: '{"z":1,"a":"\\u0000 \\ud800 é"}',
    answer: null,
    retentionDays: 30,
    ...changes,
  };
}

const count = (where: object = {}) => store.database.contentLog.count({ where });
const notFound = { code: 'not_found' };

it('keeps an entry as it came, once, and finds it by its event and by its request', async () => {
  const { retentionDays, ...first } = entry({ requestId: 'once' });
  await log.record([{ ...first, retentionDays }, entry({ requestId: 'other' })]);
  await log.record([{ ...first, retentionDays: 90, request: 'changed' }]);
  const kept = { ...first, expiresAt: nowMs + 30 * dayMs };
  expect(await log.read(first.id, {})).toEqual(kept);
  const { request: _, answer: __, ...facts } = kept;
  expect(await log.find(first.id, {})).toEqual(facts);
  expect(await log.find('once', {})).toEqual(facts);
  await log.record([entry({ requestId: 'once', endedAt: nowMs + 1 })]);
  expect(await log.find('once', {})).toMatchObject({ endedAt: nowMs + 1 });
  expect(await log.find(first.id, {})).toEqual(facts);
});

it('shows and removes within an account only', async () => {
  const own = entry({ accountId: 'account-2', requestId: 'mine' });
  await log.record([own]);
  const foreign = { accountId: 'account-3' };
  await expect(log.find(own.id, foreign)).rejects.toMatchObject(notFound);
  await expect(log.find('mine', foreign)).rejects.toMatchObject(notFound);
  await expect(log.read(own.id, foreign)).rejects.toMatchObject(notFound);
  await expect(log.remove(own.id, foreign)).rejects.toMatchObject(notFound);
  expect(await log.removeOfKey('key-1', foreign)).toEqual({ removed: 0, isDone: true });
  const reach = { accountId: 'account-2' };
  expect(await log.read(own.id, reach)).toMatchObject({ id: own.id });
  await log.remove(own.id, reach);
  await expect(log.read(own.id, reach)).rejects.toMatchObject(notFound);
  await expect(log.remove(own.id, reach)).rejects.toMatchObject(notFound);
});

it('removes all of a key, a part at a time, and nothing else', async () => {
  const before = await count();
  await log.record(Array.from({ length: 2_100 }, () => entry({ keyId: 'many' })));
  const reach = { accountId: 'account-1' };
  expect(await log.removeOfKey('many', reach)).toEqual({ removed: 2_000, isDone: false });
  expect(await log.removeOfKey('many', reach)).toEqual({ removed: 100, isDone: true });
  expect(await count()).toBe(before);
});

it('forgets what has expired at once, and removes it at the next sweep', async () => {
  const [short, long] = [entry({ keyId: 'ends', retentionDays: 1 }), entry({ keyId: 'ends', retentionDays: 2 })];
  await log.record([short, long, ...Array.from({ length: 450 }, () => entry({ keyId: 'ends', retentionDays: 1 }))]);
  nowMs += dayMs - 1;
  expect(await log.sweep()).toBe(0);
  expect(await log.read(short.id, {})).toMatchObject({ id: short.id });
  nowMs += 1;
  await expect(log.read(short.id, {})).rejects.toMatchObject(notFound);
  await expect(log.find(short.id, {})).rejects.toMatchObject(notFound);
  expect(await Promise.all([log.sweep(), log.sweep()]).then(([one, other]) => one + other)).toBe(451);
  expect(await count({ keyId: 'ends' })).toBe(1);
  expect(await log.read(long.id, {})).toMatchObject({ id: long.id });
});

it('looks for what has expired by its index', async () => {
  const plan = await store.database.$transaction(async (queries) => {
    // The few rows of a test are read whole once Postgres has counted them, which it does by itself.
    await queries.$executeRaw`SET LOCAL enable_seqscan = off`;
    return queries.$queryRaw<{ 'QUERY PLAN': string }[]>`
      EXPLAIN SELECT id FROM content_log WHERE expires_at <= now() - interval '90 days' ORDER BY expires_at LIMIT 200`;
  });
  expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('content_log_expires_at_idx');
});
