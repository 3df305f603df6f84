import type { TestStack } from '../test-stack';

const mebibyte = 1024 * 1024;
let test: TestStack;
let apiKey: string;

const post = (body: string | Uint8Array<ArrayBuffer>, contentType = 'application/json') =>
  fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': contentType },
    body,
  });
const withText = (length: number) =>
  JSON.stringify({
    model: 'openai/gpt-5.4-mini',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(length)}` } },
        ],
      },
    ],
  });

export function bodies(shared: () => TestStack): void {
  beforeAll(async () => {
    test = shared();
    apiKey = (await test.stack.createKey({ name: 'bodies', plan: 'enterprise', rpm: null, quotaTokens: null })).apiKey;
  });

  it('passes a body of 20 MiB', async () => {
    const response = await post(withText(20 * mebibyte));
    expect(response.status).toBe(200);
  });

  it('refuses a body of 33 MiB with 413', async () => {
    const response = await post(withText(33 * mebibyte));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', code: 413 } });
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '{"model":'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a number', '7'],
    ['deep JSON', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    [
      'a prototype key',
      '{"__proto__":{"a":1},"model":"openai/gpt-5.4-mini","messages":[{"role":"user","content":"x"}]}',
    ],
    ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['no messages', '{"model":"openai/gpt-5.4-mini","messages":[]}'],
    ['a wrong type', '{"model":7,"messages":"hi"}'],
    ['a wrong range', '{"model":"openai/gpt-5.4-mini","messages":[{"role":"user","content":"x"}],"temperature":3}'],
  ])('answers %s with 400 and the error shape, never with a 5xx', async (_name, body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: { message: expect.any(String), type: 'invalid_request_error', code: 400 },
    });
  });
}
