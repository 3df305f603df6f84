import { createHash } from 'node:crypto';
import { uuidv7 } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import type { Attribution } from '@tollgate/contracts/metering';
import type { Database } from '@tollgate/database';
import type { PostgresServer } from '@tollgate/testing';
import { mostNames } from '../slices/told-apart';
import { makeEvent } from '../testing/make-event';
import { copyOf, startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { rowsRead } from '../testing/rows-read';
import { listRequests } from './request-log';

type Asked = Parameters<typeof listRequests>[1];

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const startAt = Date.UTC(2026, 5, 20);
const days = 40;
const agents = ['codex', 'aider', 'cline'];

let server: PostgresServer;
let env: MeteringDatabase;
beforeAll(async () => (server = await (await startMeteringDatabase()).leave()));
afterAll(() => server.stop());
beforeEach(async () => {
  env = await copyOf(server);
});
afterEach(() => env.stop());

/** The same number each time, from 0 up to, not including, `count`. */
function draw(index: number, of: number, count: number): number {
  const drawn = createHash('sha256').update(`${index} ${of}`).digest().readUInt32BE();
  return Math.floor((drawn / 2 ** 32) * count);
}

function eventOf(index: number, endedAt: number, attribution: Attribution | undefined): UsageEvent {
  const key = draw(index, 1, 5);
  return makeEvent({
    id: uuidv7(endedAt - 100),
    keyId: `key-${key}`,
    accountId: `account-${key % 2}`,
    endedAt,
    ...(draw(index, 2, 8) === 0 && { cached: true, attempts: [], usage: { input: 0, output: 0 } }),
    ...(attribution && { attribution }),
  });
}

/** Of five keys of two accounts, at all times; the rarer a name, the fewer days that have it. */
function events(count: number): UsageEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const agent = agents[draw(index, 3, 40)];
    const tags = [...(draw(index, 4, 3) === 0 ? ['often'] : []), ...(draw(index, 5, 40) === 0 ? ['seldom'] : [])];
    const attribution = { endUser: `user-${draw(index, 6, 30)}`, tags, ...(agent && { agent }) };
    return eventOf(index, startAt + draw(index, 7, days * dayMs), draw(index, 8, 4) === 0 ? undefined : attribution);
  });
}

/** More end users of a key in an hour than are told apart. */
function crowd(): UsageEvent[] {
  return Array.from({ length: mostNames + 20 }, (_, index) =>
    makeEvent({
      keyId: 'key-0',
      accountId: 'account-0',
      endedAt: startAt + 10 * dayMs + index,
      attribution: { endUser: `of crowd ${index}` },
    }),
  );
}

function says({ endUser, session, agent, tag, accountId, keyIds, startAt, endAt }: Asked, event: UsageEvent): boolean {
  const said = event.attribution ?? {};
  return (
    (endUser === undefined || said.endUser === endUser) &&
    (session === undefined || said.session === session) &&
    (agent === undefined || said.agent === agent) &&
    (tag === undefined || said.tags?.includes(tag) === true) &&
    (accountId === undefined || event.accountId === accountId) &&
    (keyIds === undefined || keyIds.includes(event.keyId)) &&
    event.endedAt >= startAt &&
    event.endedAt < endAt
  );
}

function newestFirst(one: UsageEvent, other: UsageEvent): number {
  return other.endedAt - one.endedAt || (one.id < other.id ? 1 : -1);
}

async function allPages(asked: Asked, namesSinceMs = 0): Promise<string[]> {
  const found: string[] = [];
  let after: string | undefined;
  do {
    const page = await listRequests(env.database, { ...asked, after }, { namesSinceMs });
    found.push(...page.requests.map(({ id }) => id));
    after = page.next ?? undefined;
  } while (after !== undefined);
  return found;
}

const whole = { startAt, endAt: startAt + days * dayMs, limit: 7 };
const questions: [string, Partial<Asked>][] = [
  ['a tag that is said often', { tag: 'often' }],
  ['a tag that is said seldom', { tag: 'seldom' }],
  ['an agent', { agent: 'aider' }],
  ['an end user', { endUser: 'user-3' }],
  ['an end user beyond those that are told apart', { endUser: `of crowd ${mostNames + 10}` }],
  ['an end user and a tag', { endUser: 'user-4', tag: 'often' }],
  ['what nobody said', { session: 'none' }],
  ['a tag, of named keys', { accountId: undefined, keyIds: ['key-0', 'key-3'], tag: 'seldom' }],
  ['a tag, in a part of the time', { tag: 'often', startAt: startAt + 3.3 * dayMs, endAt: startAt + 17.7 * dayMs }],
  ['a tag, until the end of time', { tag: 'seldom', startAt: 0, endAt: Number.MAX_SAFE_INTEGER / 2 }],
];

describe('the log of requests that say a name', () => {
  it('has all of them once, newest first, those from the response cache too', async () => {
    const all = [...events(2_500), ...crowd()];
    await env.newIngest().ingest(all);
    for (const [what, question] of questions) {
      const asked = { ...whole, accountId: 'account-0', ...question };
      const expected = all.filter((event) => says(asked, event)).toSorted(newestFirst);
      expect([what, await allPages(asked)]).toEqual([what, expected.map(({ id }) => id)]);
    }
    const rare = all.filter((event) => says({ ...whole, accountId: 'account-0', tag: 'seldom' }, event));
    expect(rare.some(({ cached }) => cached)).toBe(true);
    expect(rare.some(({ cached }) => !cached)).toBe(true);
  });

  it('has what came late or took the place of another, ends at one time or later than now, and of keys that changed accounts', async () => {
    const now = Date.now();
    const today = now - (now % dayMs);
    // Ends on days of their own, at their very bounds, in the days around now, and many at one time.
    const times = [
      startAt + 3 * dayMs,
      startAt + 4 * dayMs - 1,
      today,
      today - 1,
      now,
      now + 5 * hourMs,
      today + 2 * dayMs,
    ];
    const drawn = (index: number): number => {
      const time = times[draw(index, 11, times.length)] ?? 0;
      return draw(index, 12, 3) === 0 ? time : time + draw(index, 13, 5) * hourMs;
    };
    const all = Array.from({ length: 350 }, (_, index) => {
      const endedAt = drawn(index);
      const said = { endUser: `user-${draw(index, 14, 3)}`, tags: [`tag-${draw(index, 15, 4)}`, 'any'] };
      const cached = draw(index, 16, 6) === 0;
      return makeEvent({
        id: uuidv7(endedAt - draw(index, 17, 20) * hourMs),
        keyId: `key-${draw(index, 18, 4)}`,
        // A key is of another account from one of these days on.
        accountId: `account-${(draw(index, 18, 4) + (endedAt >= today ? 1 : 0)) % 2}`,
        endedAt,
        state: draw(index, 19, 4) === 0 ? 'failed' : 'completed',
        ...(draw(index, 20, 5) === 0 && { attempts: [], status: 429, model: '' }),
        ...(cached && { cached, attempts: [], usage: { input: 0, output: 0 } }),
        ...(draw(index, 21, 5) > 0 && { attribution: said }),
      });
    });
    const estimates = all.flatMap((event, index): UsageEvent[] => {
      if (draw(index, 22, 4) > 0 || event.cached || event.state !== 'completed') return [];
      const endedAt = event.endedAt + (draw(index, 23, 3) - 1) * hourMs;
      return [{ ...event, endedAt, estimated: true, state: 'cancelled' }];
    });
    await env.newIngest().ingest(estimates);
    await env.newIngest().ingest(all.slice(0, 250));
    await env.newIngest().ingest(all.slice(250));
    const window = { startAt: startAt + dayMs, endAt: Number.MAX_SAFE_INTEGER / 2 };
    for (const names of [
      { endUser: 'user-1' },
      { tag: 'tag-2' },
      { tag: 'any' },
      { endUser: 'user-0', tag: 'tag-3' },
      {},
    ])
      for (const whose of [{ accountId: 'account-0' }, { accountId: 'account-1' }, { keyIds: ['key-1', 'key-2'] }])
        for (const limit of [7, 200]) {
          const asked = { ...window, ...names, ...whose, limit };
          const expected = all.filter((event) => says(asked, event)).toSorted(newestFirst);
          expect([asked, await allPages(asked)]).toEqual([asked, expected.map(({ id }) => id)]);
        }
    expect(await env.database.usageEvent.count()).toBe(all.length);
  });

  it('has those of days whose names are forgotten', async () => {
    const all = events(600);
    await env.newIngest().ingest(all);
    const since = startAt + 15 * dayMs;
    await env.database.usageSliceDay.deleteMany({ where: { at: { lt: new Date(since) } } });
    await env.database.usageSliceNames.deleteMany({ where: { at: { lt: new Date(since) } } });
    const asked = { ...whole, accountId: 'account-0', tag: 'often' };
    const expected = all.filter((event) => says(asked, event)).toSorted(newestFirst);
    expect(await allPages(asked, since)).toEqual(expected.map(({ id }) => id));
  });

  it('passes over the requests of keys and days that do not say it', async () => {
    const of = (keyId: string, attribution: Attribution | undefined, day: number, count: number) =>
      Array.from({ length: count }, (_, index) =>
        makeEvent({ keyId, endedAt: startAt + day * dayMs + index, ...(attribution && { attribution }) }),
      );
    await env
      .newIngest()
      .ingest([
        ...of('silent', undefined, 3, 400),
        ...of('others', { tags: ['else'] }, 3, 400),
        ...of('sayer', { tags: ['wanted'] }, 1, 5),
        ...of('sayer', { tags: ['else'] }, 5, 400),
      ]);
    const read = await env.database.$transaction((transaction) => {
      const within: Database<'metering'>['$transaction'] = (work) => work(transaction);
      const database = Object.assign(Object.create(transaction), { $transaction: within }) as Database<'metering'>;
      return rowsRead(transaction, 'usage_event_default', async () => {
        const { requests } = await listRequests(database, { ...whole, accountId: 'account-1', tag: 'wanted' });
        expect(requests).toHaveLength(5);
      });
    });
    expect(read).toBeLessThan(30);
  });
});
