import { EdgeRig, eventually } from '../testing/edge-rig';
import { model } from '../testing/catalog-fixture';

let rig: EdgeRig;
let apiKey: string;
beforeAll(async () => {
  rig = await EdgeRig.start();
  apiKey = rig.accounts.create();
  const plain = model('acme/plain', {});
  rig.catalog.change({
    models: [...rig.catalog.snapshot.models, plain],
    available: [...rig.catalog.snapshot.available, plain.id],
  });
  await eventually(async () => (await rig.get('/v1/models/acme/plain', apiKey)).status === 200);
});
afterAll(() => rig.stop());

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const read = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'image', source: { data: 'AAAA' } }] };
const file = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' };
const said = { role: 'assistant', content: 'I cannot see it.' };
const next = { role: 'user', content: 'Go on.' };

describe('what a model does not take', () => {
  it.each([
    ['/v1/chat/completions', { messages: [{ role: 'user', content: [image] }, said, next] }],
    ['/v1/chat/completions', { messages: [next, { role: 'tool', tool_call_id: 'a', content: [image] }] }],
    ['/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: [read] }] }],
    ['/v1/messages/count_tokens', { messages: [{ role: 'user', content: [read] }] }],
    ['/v1/responses', { input: [{ type: 'function_call_output', call_id: 'a', output: [file] }] }],
    ['/v1/responses/compact', { input: [{ role: 'user', content: [file] }] }],
  ])('goes on to inference at %s where an earlier turn or a tool has it', async (path, body) => {
    const got = await rig.post(path, apiKey, { model: 'acme/plain', ...body });
    expect([got.status, await got.text()]).toEqual([200, expect.anything()]);
    expect(JSON.parse(Buffer.from(rig.inference.calls.at(-1)?.body ?? []).toString())).toMatchObject(body);
  });

  it('takes no more of a quota than the words that stand for it', async () => {
    const key = rig.accounts.create({ quotaTokens: 700 });
    const messages = [{ role: 'user', content: [image] }, said, next];
    const got = await rig.post('/v1/chat/completions', key, { model: 'acme/plain', messages, max_tokens: 9 });
    expect(got.status).toBe(200);
    await got.text();
  });
});
