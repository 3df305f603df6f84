import { providerDefinition } from '@tollgate/contracts/catalog';
import { EdgeRig, eventually } from './testing/edge-rig';
import { model } from './testing/catalog-fixture';
import { surfaceSamples } from './testing/surface-samples';

let rig: EdgeRig;
let apiKey: string;
beforeAll(async () => {
  rig = await EdgeRig.start();
  apiKey = rig.accounts.create();
});
afterAll(() => rig.stop());

const json = { 'content-type': 'application/json' };

describe('what the version 2026-10-21 of Anthropic has no more', () => {
  const { request } = surfaceSamples['anthropic-messages'];
  const newest = { ...json, 'anthropic-version': '2026-10-21' };
  const { max_tokens: _, ...counted } = request;
  const long = { role: 'user', content: Array.from({ length: 3_500 }, () => ({ type: 'text', text: 'a' })) };

  it.each<[string, string, object]>([
    ['a model of another maker', '/v1/messages', request],
    ['a body that a thread reads', '/v1/messages', { ...request, messages: [long] }],
    ['counting', '/v1/messages/count_tokens', counted],
  ])('is a 400 before any provider sees it: %s', async (_what, path, body) => {
    const headers = { ...newest, 'x-api-key': apiKey };
    const calls = rig.inference.calls.length;
    const refused = await rig.post(path, '', { ...body, temperature: 1 }, { headers });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("'temperature'")]);
    expect(rig.inference.calls).toHaveLength(calls);
    expect((await rig.post(path, '', body, { headers })).status).toBe(200);
    const older = { ...headers, 'anthropic-version': '2023-06-01' };
    expect((await rig.post(path, '', { ...body, temperature: 1 }, { headers: older })).status).toBe(200);
  });
});

it('is refused where Anthropic is to ask a model beside it that the key may not use', async () => {
  const anthropic = { id: 'anthropic', name: 'Anthropic', dialect: 'anthropic-messages', apiKeyEnv: [] };
  const { id } = model('anthropic/claude-haiku-5-5');
  rig.catalog.change({
    providers: [providerDefinition.parse({ ...anthropic, baseUrl: 'http://anthropic.test' })],
    models: [...rig.catalog.snapshot.models, model(id)],
    available: [...rig.catalog.snapshot.available, id],
  });
  await eventually(async () => (await rig.get(`/v1/models/${id}`, apiKey)).status === 200);
  const key = rig.accounts.create({ models: [id] });
  const { request } = surfaceSamples['anthropic-messages'];
  const statusOf = async (fallbacks: unknown, who = key): Promise<number> =>
    (await rig.post('/v1/messages', who, { ...request, model: id, fallbacks })).status;
  expect(await statusOf([{ model: 'claude-sonnet-5' }])).toBe(403);
  expect(await statusOf([{ model: 'claude-haiku-5-5' }])).toBe(200);
  expect(await statusOf('default')).toBe(200);
  expect(await statusOf([{ model: 'claude-sonnet-5' }], apiKey)).toBe(200);
});
