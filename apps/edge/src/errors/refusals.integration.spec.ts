import { EdgeRig, eventually, question } from '../testing/edge-rig';

let rig: EdgeRig;
beforeAll(async () => {
  rig = await EdgeRig.start();
});
afterAll(() => rig.stop());

it('tells metering what was refused, to whom and why, and nothing of what was answered', async () => {
  const id = 'key-refused';
  const apiKey = rig.accounts.create({ id, rpm: 3 });
  expect((await rig.chat(apiKey, question)).status).toBe(200);
  expect((await rig.chat(apiKey, { ...question, model: 'gpt-0' })).status).toBe(404);
  expect((await rig.get('/v1/models/gpt-0', apiKey)).status).toBe(404);
  expect((await rig.chat(apiKey, question)).status).toBe(429);
  expect((await rig.chat('tg_sk_wrong', question)).status).toBe(401);
  expect((await fetch(`${rig.url}/api/reports/refusals?startAt=0&endAt=1`)).status).toBe(401);
  const ofKey = { keyId: id, accountId: expect.any(String) };
  const chat = '/v1/chat/completions';
  // What is told again replaces what was told before.
  const told = () => [...new Map(rig.metering.refused.map((row) => [`${row.minute} ${row.status}`, row])).values()];
  await eventually(() => told().reduce((sum, { count }) => sum + count, 0) === 4);
  expect(
    told().map(({ keyId, accountId, status, reason, last: { model, path } }) => {
      return { keyId, accountId, status, reason, model, path };
    }),
  ).toEqual(
    expect.arrayContaining([
      { ...ofKey, status: 404, reason: 'model_not_found', model: null, path: '/v1/models/gpt-0' },
      { ...ofKey, status: 429, reason: 'rpm', model: null, path: chat },
      { keyId: null, accountId: null, status: 401, reason: 'authentication_error', model: null, path: chat },
    ]),
  );
});
