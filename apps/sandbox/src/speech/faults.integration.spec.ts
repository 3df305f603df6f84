import { RunningSandbox } from '../testing/running-sandbox.fixture';

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await RunningSandbox.start();
});
afterAll(() => sandbox.close());

interface Call {
  path: string;
  body: object;
}

/** The smallest request of each dialect. */
const requests: Record<string, (model: string, text: string, stream: boolean) => Call> = {
  'openai-chat': (model, content, stream) => ({
    path: '/openai-chat/chat/completions',
    body: { model, stream, messages: [{ role: 'user', content }] },
  }),
  'openai-responses': (model, input, stream) => ({
    path: '/openai-responses/responses',
    body: { model, stream, input },
  }),
  'anthropic-messages': (model, content, stream) => ({
    path: '/anthropic-messages/messages',
    body: { model, stream, max_tokens: 1_000, messages: [{ role: 'user', content }] },
  }),
  gemini: (model, text, stream) => ({
    path: `/gemini/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ parts: [{ text }] }] },
  }),
  'bedrock-converse': (model, text, stream) => ({
    path: `/bedrock-converse/model/${model}/${stream ? 'converse-stream' : 'converse'}`,
    body: { messages: [{ role: 'user', content: [{ text }] }] },
  }),
  cohere: (model, content, stream) => ({
    path: '/cohere/chat',
    body: { model, stream, messages: [{ role: 'user', content }] },
  }),
};

let count = 0;

/** Asks under a model's name of its own, which finds its row. */
async function ask(dialect: string, controls: string, stream: boolean): Promise<{ model: string; answer: Response }> {
  const model = `model-${count++}`;
  const call = requests[dialect]?.(model, `hello [[sandbox: tokens=20 ${controls}]]`, stream);
  if (!call) throw new Error(`no request of ${dialect}`);
  return { model, answer: await sandbox.post(call.path, call.body) };
}

describe.each(Object.keys(requests))('%s', (dialect) => {
  it.each([false, true])(
    'books the tokens that it gave, and the same with and without a stream (stream: %s)',
    async (stream) => {
      const { model, answer } = await ask(dialect, '', stream);
      await answer.arrayBuffer();
      expect(await sandbox.rowOf(model)).toMatchObject({
        state: 'completed',
        status: 200,
        stream,
        outputTokens: 20,
        closedByPeerAt: null,
      });
    },
  );

  it.each(['reset_mid', 'truncate', 'error_mid', 'malformed'])(
    'books of a stream cut by %s what went out',
    async (fault) => {
      const { model, answer } = await ask(dialect, `fault=${fault} at=4`, true);
      await answer.arrayBuffer().catch(() => undefined);
      const row = await sandbox.rowOf(model);
      expect(row).toMatchObject({ state: 'cut', fault, outputTokens: 4, closedByPeerAt: null });
      expect(row.inputTokens).toBeGreaterThan(0);
    },
  );

  it('sends nothing of an answer before an error at its beginning', async () => {
    const { model, answer } = await ask(dialect, 'fault=error_first', true);
    expect(answer.status).toBe(200);
    expect(await answer.text()).not.toContain('sandbox heard');
    expect(await sandbox.rowOf(model)).toMatchObject({ state: 'cut', outputTokens: 0 });
  });

  it.each(['stall', 'hang'])('is silent with %s until the peer leaves', async (fault) => {
    const model = `model-${count++}`;
    const call = requests[dialect]?.(model, `hello [[sandbox: tokens=20 at=4 fault=${fault}]]`, true);
    const leaving = new AbortController();
    const asked = fetch(`${sandbox.url}${call?.path}`, {
      method: 'POST',
      body: JSON.stringify(call?.body),
      signal: leaving.signal,
    }).then((answer) => answer.text());
    const isLeft = expect(asked).rejects.toThrow();
    const given = fault === 'stall' ? 4 : 0;
    await sandbox.rowOf(model, ({ state, outputTokens }) => state === 'open' && outputTokens === given);
    leaving.abort();
    await isLeft;
    const row = await sandbox.rowOf(model);
    expect(row).toMatchObject({ state: 'cut', outputTokens: given });
    expect(row.closedByPeerAt).not.toBeNull();
  });

  it.each([400, 401, 403, 404, 429, 500, 503, 529])('refuses with %d, says why, and books nothing', async (status) => {
    const { model, answer } = await ask(dialect, `fault=${status}`, false);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(JSON.stringify(await answer.json())).toMatch(/"message":"[^"]{8}/);
    expect(await sandbox.rowOf(model)).toMatchObject({ state: 'refused', status, inputTokens: 0, outputTokens: 0 });
  });

  it('tells when to come back, in seconds and as a date', async () => {
    const seconds = await ask(dialect, 'fault=429 retry_after=7', false);
    const askedAt = Date.now();
    const date = await ask(dialect, 'fault=503 retry_date=60', false);
    expect(seconds.answer.headers.get('retry-after')).toBe('7');
    const at = Date.parse(date.answer.headers.get('retry-after') ?? '');
    // Such a date has whole seconds.
    expect(at).toBeGreaterThan(askedAt + 58_999);
    expect(at).toBeLessThanOrEqual(Date.now() + 61_000);
  });

  it('is overloaded with the status of its provider, and refuses a prompt that is too long', async () => {
    const overloaded = await ask(dialect, 'fault=overloaded', true);
    expect(overloaded.answer.status).toBe(dialect === 'anthropic-messages' ? 529 : 503);
    const tooLong = await ask(dialect, 'fault=context', true);
    expect(tooLong.answer.status).toBe(400);
    expect(await tooLong.answer.text()).toMatch(/too long|maximum context length|exceeds the maximum|too many tokens/);
  });

  it('refuses one request for its size, or for a file, without a word about its load', async () => {
    const tooLarge = await ask(dialect, 'fault=too_large', true);
    expect([tooLarge.answer.status, await tooLarge.answer.text()]).toEqual([429, expect.stringContaining('too large')]);
    const unknownFile = await ask(dialect, 'fault=unknown_file', false);
    expect([unknownFile.answer.status, await unknownFile.answer.text()]).toEqual([
      404,
      expect.stringContaining('File'),
    ]);
  });

  it('refuses a control that it does not know', async () => {
    const { answer } = await ask(dialect, 'fault=typo', false);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('there is no fault named');
  });

  it('refuses a field that nobody knows, and a body that is no JSON', async () => {
    const call = requests[dialect]?.('m', 'x', false);
    const odd = await sandbox.post(call?.path ?? '', { ...call?.body, oddity: 1 });
    expect([odd.status, await odd.text()]).toEqual([400, expect.stringContaining('oddity')]);
    const broken = await fetch(`${sandbox.url}${call?.path}`, { method: 'POST', body: '{"a":' });
    expect([broken.status, await broken.text()]).toEqual([400, expect.stringContaining('could not parse')]);
  });
});
