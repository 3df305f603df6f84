import type { RefusedInMinute } from '@tollgate/contracts/metering';
import { startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { Refusals } from './refusals';

const minuteMs = 60_000;
const noon = Date.UTC(2026, 10, 25, 12);

let store: MeteringDatabase;
let nowMs = noon;
let refusals: Refusals;
beforeAll(async () => {
  store = await startMeteringDatabase();
  refusals = new Refusals(store.databases, () => nowMs);
});
afterAll(() => store.stop());
afterEach(() => store.database.refusal.deleteMany({}));

const last = (at: number, message = 'There is no such model.') => ({
  at,
  requestId: `request-${at}`,
  model: 'openai/gpt-0',
  path: '/v1/chat/completions',
  message,
});

function refused(changes: Partial<RefusedInMinute> = {}): RefusedInMinute {
  const common = { edgeId: 'edge-1', keyId: 'key-1', accountId: 'account-1', status: 404, reason: 'not_found_error' };
  return { ...common, minute: noon, count: 1, last: last(noon), ...changes };
}

const hour = { startAt: noon, endAt: noon + 60 * minuteMs };

it('counts what several edges tell of several minutes, whichever of it comes twice', async () => {
  const later = noon + minuteMs;
  const minutes = [
    refused({ count: 3 }),
    refused({ edgeId: 'edge-2', count: 4, last: last(noon + 5, 'newest') }),
    refused({ minute: later, count: 5, last: last(noon + 4) }),
    refused({ keyId: null, accountId: null, status: 401, reason: 'authentication_error', count: 7 }),
  ];
  await refusals.record(minutes);
  await refusals.record(minutes);
  const causes = [
    { status: 404, reason: 'not_found_error', keyId: 'key-1', accountId: 'account-1', count: 12 },
    { status: 401, reason: 'authentication_error', keyId: null, accountId: null, count: 7, last: last(noon) },
  ];
  const told = await refusals.list(hour);
  expect(told).toMatchObject({ total: 19, causes });
  expect(told.causes[0]?.last).toEqual(last(noon + 5, 'newest'));
});

it('takes the larger count of an edge and a minute, in whatever order they come', async () => {
  await refusals.record([refused({ count: 9, last: last(noon + 9) })]);
  await refusals.record([refused({ count: 2, last: last(noon + 2) })]);
  expect(await refusals.list(hour)).toMatchObject({ total: 9, causes: [{ count: 9, last: last(noon + 9) }] });
});

it('tells an account and a key their own, and nobody what had no key', async () => {
  const mine = refused();
  const other = refused({ keyId: 'key-2', accountId: 'account-2', count: 2 });
  const unknown = refused({ keyId: null, accountId: null, status: 401, count: 4 });
  await refusals.record([mine, other, unknown]);
  expect(await refusals.list({ ...hour, accountId: 'account-2' })).toMatchObject({
    total: 2,
    causes: [{ keyId: 'key-2' }],
  });
  expect(await refusals.list({ ...hour, keyIds: ['key-1'] })).toMatchObject({ total: 1, causes: [{ keyId: 'key-1' }] });
  expect(await refusals.list({ ...hour, accountId: 'account-3' })).toEqual({ total: 0, causes: [] });
  expect(await refusals.list({ startAt: noon + minuteMs, endAt: noon + 2 * minuteMs })).toEqual({
    total: 0,
    causes: [],
  });
});

it('removes what is older than a month', async () => {
  await refusals.record([refused(), refused({ minute: noon + minuteMs })]);
  nowMs = noon + 31 * 86_400_000 + 1;
  expect(await refusals.sweep()).toBe(1);
  expect(await refusals.list(hour)).toMatchObject({ total: 1 });
});
