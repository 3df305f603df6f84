import { uuidv7 } from '@tollgate/contracts';
import { administrationOperations, adminTokenOperations } from '@tollgate/contracts/accounts';
import type { NewLoggedContent } from '@tollgate/contracts/metering';
import { EdgeRig } from '../testing/edge-rig';

let rig: EdgeRig;
let token: string;
beforeAll(async () => {
  rig = await EdgeRig.start();
  rig.accounts.create({ id: 'key-1' });
  token = rig.people.createToken();
});
afterAll(() => rig.stop());

const ask = (method: string, path: string, body?: string) =>
  fetch(`${rig.url}/api/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  });
const told = async (method: string, path: string, body?: object) => {
  const response = await ask(method, path, body && JSON.stringify(body));
  return [response.status, await response.json()] as const;
};
const acts = () => rig.people.askedOf(administrationOperations.recordAct);
const actor = 'token:terraform (tg_adm_…abcd)';

function logged(): NewLoggedContent {
  const of = {
    requestId: 'theirs',
    keyId: 'key-1',
    accountId: 'account-1',
    model: 'm',
    surface: 'openai-chat' as const,
  };
  const entry: NewLoggedContent = {
    ...{ id: uuidv7(), ...of, stream: false, state: 'completed', status: 200, cached: false, startedAt: 1, endedAt: 2 },
    ...{ redactions: 0, retentionDays: 1, request: '{"a":"words"}', answer: null },
    ...{ requestTruncated: false, answerTruncated: false },
  };
  rig.metering.logged.push(entry);
  return entry;
}

describe('a logged text', () => {
  it('is read when it is written down, in the log of its account, who did', async () => {
    const { id, request } = logged();
    const before = acts().length;
    expect(await told('GET', `/texts/${id}/facts`)).toMatchObject([200, { id, requestId: 'theirs' }]);
    expect(acts()).toHaveLength(before);
    expect(await told('GET', `/texts/${id}`)).toMatchObject([200, { id, request }]);
    const detail = { eventId: id, requestId: 'theirs', keyId: 'key-1' };
    expect(acts().slice(before)).toEqual([{ accountId: 'account-1', action: 'content-read', actor, detail }]);
    rig.people.refusesActs = true;
    expect((await told('GET', `/texts/${id}`))[0]).toBe(503);
    rig.people.refusesActs = false;
  });

  it('is told without its text where only what is known of it is asked for', async () => {
    const { id } = logged();
    expect(JSON.stringify(await told('GET', `/texts/${id}/facts`))).not.toContain('words');
  });

  it('is removed, by itself or with all of its key', async () => {
    const { id } = logged();
    expect(await told('DELETE', `/texts/${id}`)).toEqual([200, {}]);
    expect((await told('GET', `/texts/${id}`))[0]).toBe(404);
    expect(await told('DELETE', '/keys/key-1/texts')).toEqual([200, { removed: 2, isDone: true }]);
    const [removal] = acts().slice(-1);
    expect(removal).toMatchObject({ action: 'content-removed', actor, detail: { keyId: 'key-1' } });
    expect((await told('DELETE', '/keys/no-key/texts'))[0]).toBe(404);
  });
});

it('has mails read, which is written down', async () => {
  expect(await told('GET', '/mails')).toMatchObject([200, { data: [{ body: 'a link' }], has_more: false }]);
  expect(acts().at(-1)).toMatchObject({ action: 'mails-read', actor });
});

it('has a token made in the name of the one that asks, whatever else it says', async () => {
  const wish = { name: 'made', scopes: ['keys:read'], expiresAt: null };
  expect(await told('POST', '/tokens', wish)).toMatchObject([201, { token: 'tg_adm_told_once' }]);
  const [asked] = rig.people.askedOf(adminTokenOperations.createUnder).slice(-1);
  expect(asked).toMatchObject({ ...wish, actor, under: expect.stringMatching(/^00000000-/) });
  expect((await told('POST', '/tokens', { ...wish, under: 'another' }))[0]).toBe(400);
  expect(await told('POST', '/tokens/made/revoke', {})).toMatchObject([200, { adminToken: { revokedAt: 2 } }]);
});

it.each([
  ['/audit/export?format=csv', 'text/csv; charset=utf-8', /^at,actor,action,.*\r\n/],
  ['/audit/export?format=json', 'application/json; charset=utf-8', /^\[\n\{.*\}\n\]\n$/s],
  ['/usage/export?what=series&format=csv&startAt=0&endAt=1', 'text/csv; charset=utf-8', /^[\w,]+\r\n/],
  ['/usage/export?what=requests&format=json&startAt=0&endAt=1', 'application/json; charset=utf-8', /^\[/],
])('tells %s as a file', async (path, type, text) => {
  const response = await ask('GET', path);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="tollgate-/);
  expect(await response.text()).toMatch(text);
});

it.each([
  ['/usage/export?what=requests&format=csv&startAt=0&endAt=1&said=words', /said/],
  ['/usage/export?what=requests&format=csv&startAt=0&endAt=1&scope=own', /scope/],
  ['/usage/statement?month=2026-11', /^accountId: /],
  ['/keys/attention', /^endsBy: /],
])('refuses %s by what is wrong with it', async (path, message) => {
  expect(await told('GET', path)).toMatchObject([400, { error: { message: expect.stringMatching(message) } }]);
});

it('tells what pages of administrators show', async () => {
  expect(await told('GET', '/keys/attention?endsBy=5')).toMatchObject([
    200,
    { ending: { data: [{ id: 'key-1' }] }, asleep: { data: [{ id: 'key-1' }] } },
  ]);
  expect(await told('GET', '/keys/asleep?limit=5')).toMatchObject([
    200,
    { data: [{ id: 'key-1' }], has_more: false, next: null },
  ]);
  expect(await told('GET', '/first-day')).toMatchObject([200, { wasAsked: false }]);
  const [status, catalog] = await told('GET', '/catalog');
  expect([status, Object.keys(catalog as object)]).toEqual([200, ['models']]);
});

it('takes larger bodies where prices and accounts of others are told, and no others', async () => {
  const large = { source: 'x'.repeat(100_000), prices: [], apply: false };
  expect(await told('POST', '/prices/import', large)).toMatchObject([
    400,
    { error: { message: expect.stringMatching(/^source: /) } },
  ]);
  expect((await told('POST', '/prices', large))[0]).toBe(413);
  expect((await told('POST', '/prices/import', { ...large, source: 'x'.repeat(900_000) }))[0]).toBe(413);
});
