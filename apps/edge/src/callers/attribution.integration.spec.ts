import type { SurfaceName } from '@tollgate/contracts';
import { surfaces } from '@tollgate/dialects/surface';
import { EdgeRig, eventually, question } from '../testing/edge-rig';
import { attributionOf } from './attribution-of';
import { surfaceSamples } from '../testing/surface-samples';

let rig: EdgeRig;
beforeAll(async () => {
  rig = await EdgeRig.start();
});
afterAll(() => rig.stop());

const said = { 'x-tollgate-tags': 'team=search, prod', 'x-session-affinity': 's-1', 'user-agent': 'opencode/1.0.2' };
const heard = { endUser: 'ann', session: 's-1', agent: 'opencode', tags: ['team=search', 'prod'] };

async function ask(id: string, path: string, body: object, headers: Record<string, string>): Promise<Response> {
  const apiKey = rig.accounts.create({ id, accountId: id });
  const own = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return rig.post(path, apiKey, body, { headers: { ...own, ...headers } });
}

const eventsOf = (id: string) => rig.metering.events.filter(({ keyId }) => keyId === id);

it.each<[SurfaceName, object]>([
  ['openai-chat', { user: 'ann' }],
  ['openai-chat', { user: 'bob', safety_identifier: 'ann' }],
  ['openai-completions', { user: 'ann' }],
  ['openai-responses', { safety_identifier: 'ann' }],
  ['openai-embeddings', { user: 'ann' }],
  ['anthropic-messages', { metadata: { user_id: 'ann' } }],
])('the event of a request at %s tells for whom it was made, who said so by %j', async (name, members) => {
  const id = `${name} ${JSON.stringify(members)}`;
  const path = surfaces.find((surface) => surface.name === name)?.path ?? '';
  const answer = await ask(id, path, { ...surfaceSamples[name].request, ...members }, said);
  expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true]);
  await eventually(() => eventsOf(id).length === 1);
  expect(eventsOf(id)[0]?.attribution).toEqual(heard);
});

it('so does that of an answer from the cache, and none says anything of a request that said nothing', async () => {
  const cached = { ...said, 'x-tollgate-cache': 'on' };
  for (let times = 0; times < 2; times += 1)
    await (await ask('twice', '/v1/chat/completions', { ...question, user: 'ann' }, cached)).text();
  await (await ask('silent', '/v1/chat/completions', question, { 'user-agent': 'OpenAI/Python 1.99.0' })).text();
  await eventually(() => eventsOf('twice').length === 2 && eventsOf('silent').length === 1);
  expect(eventsOf('twice').map(({ attribution }) => attribution)).toEqual([heard, heard]);
  expect(eventsOf('silent')[0]).not.toHaveProperty('attribution');
});

it('refuses tags of another form before a provider is asked', async () => {
  const before = rig.inference.calls.length;
  const answer = await ask('wrong', '/v1/chat/completions', question, { 'x-tollgate-tags': 'two words' });
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('x-tollgate-tags')]);
  expect(rig.inference.calls.length).toBe(before);
});

it('divides a report, or restricts it to one slice, and says what is in none and not told apart', async () => {
  const apiKey = rig.accounts.create();
  const counters = { requests: 1, unpricedRequests: 0, inputTokens: 3, outputTokens: 4, costNanoUsd: '5' };
  const nothing = { requests: 0, unpricedRequests: 0, inputTokens: 0, outputTokens: 0, costNanoUsd: '0' };
  const whole = { startAt: 0, endAt: 86_400_000, totals: counters, byModel: [] };
  rig.metering.report = whole;
  // As a metering of the release before answers, which knows of no slices.
  expect((await rig.get('/api/metrics?group_by=tag', apiKey)).status).toBe(503);
  rig.metering.report = {
    ...whole,
    sliced: { slices: [{ name: 'team="a"', ...counters }], other: nothing, none: counters },
  };
  const read = async (query: string) => (await rig.get(`/api/metrics?${query}`, apiKey)).json() as Promise<object>;
  const told = { requests: 1, input_tokens: 3, output_tokens: 4, total_tokens: 7, cost_usd: 5e-9 };
  expect(await read('group_by=tag')).toMatchObject({
    totals: told,
    by_tag: [
      { tag: 'team="a"', ...told },
      { tag: '(none)', ...told },
    ],
  });
  rig.metering.report = { ...whole, sliced: { slices: [], other: counters, none: nothing } };
  expect(await read('end_user=ann&period=month')).toMatchObject({ totals: told, not_told_apart: told });
  expect(rig.metering.sliced).toEqual([
    { divideBy: 'tag' },
    { divideBy: 'tag' },
    { slice: { dimension: 'end_user', name: 'ann' } },
  ]);
});

it.each(['end_user', 'session'] as const)('restricts a report to the %s as it is kept', async (dimension) => {
  const long = 'u'.repeat(200);
  const kept = attributionOf({ 'x-session-id': long }, long, undefined);
  const names = { end_user: kept?.endUser, session: kept?.session };
  await rig.get(`/api/metrics?${dimension}=${long}`, rig.accounts.create());
  expect(rig.metering.sliced.at(-1)).toEqual({ slice: { dimension, name: names[dimension] } });
  expect(names[dimension]).toMatch(/^[0-9a-f]{64}$/);
});

it.each([
  ['group_by=colour', 'group_by'],
  ['group_by=tag&session=s', 'session'],
  ['tag=a&session=s', 'session, tag'],
  ['tag=', 'tag'],
  ['agent=a&agent=b', 'agent'],
])('refuses a report of %s, by name', async (query, name) => {
  const answer = await rig.get(`/api/metrics?${query}`, rig.accounts.create());
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(name)]);
});
