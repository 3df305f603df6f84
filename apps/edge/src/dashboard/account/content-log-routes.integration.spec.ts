import { uuidv7 } from '@tollgate/contracts';
import { administrationOperations } from '@tollgate/contracts/accounts';
import type { NewLoggedContent } from '@tollgate/contracts/metering';
import { Browser } from '../../testing/browser';
import { EdgeRig, eventually } from '../../testing/edge-rig';

let rig: EdgeRig;
let owner: Browser;
let other: Browser;
let administrator: Browser;
beforeAll(async () => {
  rig = await EdgeRig.start();
  rig.accounts.create({ id: 'own-key', accountId: 'account-1' });
  owner = await Browser.withSession(rig.url, rig.people.open('user').token);
  other = await Browser.withSession(rig.url, rig.people.open('user', 'account-2').token);
  administrator = await Browser.withSession(rig.url, rig.people.open('administrator', 'account-9').token);
});
afterAll(() => rig.stop());

function keep(): NewLoggedContent {
  const entry: NewLoggedContent = {
    ...{
      id: uuidv7(),
      requestId: 'mine',
      keyId: 'own-key',
      accountId: 'account-1',
      model: 'm',
      surface: 'openai-chat',
    },
    ...{ stream: false, state: 'completed', status: 200, cached: false, startedAt: 1, endedAt: 2, redactions: 0 },
    ...{
      retentionDays: 1,
      request: '{"a":"secret words"}',
      answer: null,
      requestTruncated: false,
      answerTruncated: false,
    },
  };
  rig.metering.logged.push(entry);
  return entry;
}

it('is read by its owner, and by nobody else', async () => {
  const { id, request } = keep();
  const read = await owner.get(`/api/content-log/${id}`);
  expect([read.status, await read.json()]).toMatchObject([200, { id, request, expiresAt: 1 }]);
  for (const [person, asked] of [
    [other, id],
    [administrator, id],
    [owner, uuidv7()],
    [owner, 'mine'],
  ] as const) {
    const response = await person.get(`/api/content-log/${asked}`);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('secret words');
  }
});

it('is shown to an administrator once the audit log of its account says so, and not before', async () => {
  const { id } = keep();
  const read = await administrator.post(`/api/admin/content-log/${id}/read`, {});
  expect([read.status, await read.json()]).toMatchObject([200, { id, request: '{"a":"secret words"}' }]);
  expect(rig.people.askedOf(administrationOperations.recordAct)).toEqual([
    {
      accountId: 'account-1',
      actor: 'administrator@example.com',
      action: 'content-read',
      detail: { eventId: id, requestId: 'mine', keyId: 'own-key' },
    },
  ]);
  rig.people.refusesActs = true;
  const refused = await administrator.post(`/api/admin/content-log/${id}/read`, {});
  rig.people.refusesActs = false;
  expect(refused.status).toBe(503);
  expect(await refused.text()).not.toContain('secret words');
});

it('is removed by its owner: one, or all of a key', async () => {
  const { id } = keep();
  expect((await other.post(`/api/content-log/${id}/remove`, {})).status).toBe(404);
  expect((await owner.post(`/api/content-log/${id}/remove`, {})).status).toBe(204);
  expect((await owner.get(`/api/content-log/${id}`)).status).toBe(404);
  expect((await other.post('/api/keys/own-key/content-log/remove', {})).status).toBe(404);
  const all = await owner.post('/api/keys/own-key/content-log/remove', {});
  expect([all.status, await all.json()]).toEqual([200, { removed: 2, isDone: true }]);
});

it('is told of in a browser: whether, for how long, and never by which patterns', async () => {
  const features = async () => ((await (await owner.get('/api/auth/me')).json()) as { features: object }).features;
  expect(await features()).toMatchObject({ contentLog: null });
  const rules = { retentionDays: 7, maxBodyBytes: 4_096, detectors: ['email' as const] };
  rig.catalog.change({ contentLog: { ...rules, patterns: ['a secret'] } });
  await eventually(async () => JSON.stringify(await features()).includes('retentionDays'));
  expect(await features()).toMatchObject({ contentLog: rules });
  expect(JSON.stringify(await features())).not.toContain('a secret');
});
