import OpenAI from 'openai';
import { EdgeRig, question } from './testing/edge-rig';

let rig: EdgeRig;
beforeAll(async () => {
  rig = await EdgeRig.start();
});
afterAll(() => rig.stop());

describe('the official OpenAI client', () => {
  it('gets a completion', async () => {
    const client = new OpenAI({ apiKey: rig.accounts.create(), baseURL: `${rig.url}/v1`, maxRetries: 0 });
    const completion = await client.chat.completions.create({
      model: 'mini',
      messages: [{ role: 'user', content: 'Hello?' }],
    });
    expect(completion.choices[0]?.message.content).toBe('Hello.');
    expect(completion._request_id).toBeTruthy();
  });

  it('gets a stream to its end', async () => {
    const client = new OpenAI({ apiKey: rig.accounts.create(), baseURL: `${rig.url}/v1`, maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: 'gpt-5.4-mini',
      messages: [{ role: 'user', content: 'Hello?' }],
      stream: true,
    });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe('t0 t1 t2 ');
  });

  it('reads our errors as its own', async () => {
    const client = new OpenAI({ apiKey: 'wrong', baseURL: `${rig.url}/v1`, maxRetries: 0 });
    await expect(client.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    const known = new OpenAI({ apiKey: rig.accounts.create(), baseURL: `${rig.url}/v1`, maxRetries: 0 });
    await expect(
      known.chat.completions.create({ model: 'no/such', messages: question.messages as never }),
    ).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    expect((await known.models.list()).data).toHaveLength(2);
    expect((await known.models.retrieve('openai/gpt-5.4-mini')).id).toBe('openai/gpt-5.4-mini');
  });
});
