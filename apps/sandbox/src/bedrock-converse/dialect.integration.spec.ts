import { EventStreamCodec } from '@smithy/core/event-streams';
import { RunningSandbox } from '../testing/running-sandbox.fixture';

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await RunningSandbox.start();
});
afterAll(() => sandbox.close());

const claude = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
const ask = (text: string, extra: object = {}) => ({ messages: [{ role: 'user', content: [{ text }] }], ...extra });
const toolConfig = {
  tools: ['look_up', 'add'].map((name) => ({
    toolSpec: { name, inputSchema: { json: { type: 'object', properties: { what: { type: 'string' } } } } },
  })),
};
const thinking = { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1_024 } } };

interface Block {
  text?: string;
  toolUse?: { toolUseId: string; name: string; input: object };
  reasoningContent?: object;
}

interface Answer {
  output: { message: { role: string; content: Block[] } };
  stopReason: string;
  usage: Record<string, number>;
}

async function converse(body: object): Promise<Answer> {
  const answer = await sandbox.post(`/bedrock-converse/model/${encodeURIComponent(claude)}/converse`, body);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Answer;
}

interface Event {
  type: string;
  payload: Record<string, unknown>;
}

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
  (text) => Buffer.from(text),
);

/** The events of a stream, read with the codec of AWS. */
async function streamed(body: object): Promise<Event[]> {
  const answer = await sandbox.post(`/bedrock-converse/model/${encodeURIComponent(claude)}/converse-stream`, body);
  expect(answer.headers.get('content-type')).toBe('application/vnd.amazon.eventstream');
  const bytes = Buffer.from(await answer.arrayBuffer());
  const events: Event[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const { headers, body: payload } = codec.decode(bytes.subarray(at, at + length));
    const type = (headers[':event-type'] ?? headers[':exception-type'])?.value;
    events.push({ type: String(type), payload: JSON.parse(Buffer.from(payload).toString()) as Event['payload'] });
    at += length;
  }
  return events;
}

describe('answers', () => {
  it('say the same with and without a stream, and count alike', async () => {
    const plain = await converse(ask('hello there'));
    const events = await streamed(ask('hello there'));
    const texts = events.map(({ payload }) => (payload.delta as { text?: string } | undefined)?.text ?? '');
    expect(texts.join('')).toBe(plain.output.message.content[0]?.text);
    expect(events.at(-2)).toEqual({ type: 'messageStop', payload: { stopReason: 'end_turn' } });
    expect(events.at(-1)).toMatchObject({ type: 'metadata', payload: { usage: plain.usage } });
  });

  it.each(['', ' redact=1'])('go through a loop of tools with sealed thoughts%s', async (controls) => {
    const body = { ...ask(`[[sandbox: unicode=1${controls}]] use look_up and add`, { toolConfig }), ...thinking };
    const { output, stopReason } = await converse(body);
    expect(stopReason).toBe('tool_use');
    expect(output.message.content.map((block) => Object.keys(block)[0])).toEqual([
      'reasoningContent',
      'toolUse',
      'toolUse',
    ]);
    const results = output.message.content.flatMap(({ toolUse }) =>
      toolUse ? [{ toolResult: { toolUseId: toolUse.toolUseId, content: [{ text: `${toolUse.name}!` }] } }] : [],
    );
    const messages = [...body.messages, output.message, { role: 'user', content: results }];
    const last = await converse({ ...body, messages });
    expect(last.output.message.content.at(-1)).toEqual({ text: 'The tools said: look_up! and add!' });
  });

  it('give arguments in bits that are the input together', async () => {
    const body = ask('[[sandbox: unicode=1 bits=1]] use add', { toolConfig });
    const bits = (await streamed(body)).flatMap(({ payload }) => {
      const { toolUse } = (payload.delta ?? {}) as { toolUse?: { input: string } };
      return toolUse ? [toolUse.input] : [];
    });
    expect(JSON.parse(bits.join(''))).toEqual((await converse(body)).output.message.content[0]?.toolUse?.input);
  });

  it('keep what is before a cache point, and give it the next time', async () => {
    const system = [{ text: 'Be brief. '.repeat(40) }, { cachePoint: { type: 'default' } }];
    const first = await converse(ask('one', { system }));
    const second = await converse(ask('two', { system }));
    expect(first.usage.cacheWriteInputTokens).toBeGreaterThan(50);
    expect(second.usage.cacheReadInputTokens).toBe(first.usage.cacheWriteInputTokens);
  });

  it('end as they must', async () => {
    expect((await converse(ask('hi', { inferenceConfig: { maxTokens: 4 } }))).stopReason).toBe('max_tokens');
    expect((await converse(ask('a b', { inferenceConfig: { stopSequences: [' heard'] } }))).stopReason).toBe(
      'stop_sequence',
    );
    expect((await converse(ask('[[sandbox: finish=refusal]]'))).stopReason).toBe('content_filtered');
    const broken = await streamed(ask('[[sandbox: fault=error_mid]]'));
    expect(broken.at(-1)?.type).toBe('modelStreamErrorException');
  });

  it('cite the documents that they may cite', async () => {
    const document = { name: 'Rivers', format: 'txt', source: { text: 'Rivers flow.' }, citations: { enabled: true } };
    const answer = await converse({ messages: [{ role: 'user', content: [{ document }, { text: 'flow?' }] }] });
    expect(answer.output.message.content).toMatchObject([{ citationsContent: { citations: [{ title: 'Rivers' }] } }]);
  });
});

const say = (role: string, ...content: object[]) => ({ role, content });
const hello = say('user', { text: 'x' });
const use = { toolUse: { toolUseId: 'a', name: 'add', input: {} } };
const result = { toolResult: { toolUseId: 'a', content: [{ text: 'x' }] } };

describe('requests that Bedrock refuses', () => {
  it.each<[string, object, string]>([
    ['roles that do not alternate', { messages: [hello, hello] }, 'alternate'],
    ['an assistant first', { messages: [say('assistant', { text: 'x' })] }, 'start with a user'],
    ['a system message', { messages: [say('system', { text: 'x' })] }, 'enum value set'],
    ['blank text', { messages: [say('user', { text: ' ' })] }, 'blank'],
    ['a block of Anthropic', { messages: [say('user', { type: 'text', text: 'x' })] }, 'exactly one member'],
    [
      'calls without their tools',
      { messages: [hello, say('assistant', use), say('user', result)] },
      'toolConfig field',
    ],
    [
      'a call without its result',
      { toolConfig, messages: [hello, say('assistant', use), hello] },
      'Expected toolResult',
    ],
    ['a result without its call', { toolConfig, messages: [say('user', result)] }, 'exceeds the number'],
    [
      'a strange id',
      {
        toolConfig,
        messages: [hello, say('assistant', { toolUse: { ...use.toolUse, toolUseId: 'a.b' } }), say('user', result)],
      },
      'pattern',
    ],
    [
      'changed thoughts',
      {
        messages: [
          hello,
          say('assistant', { reasoningContent: { reasoningText: { text: 'x', signature: 'y' } } }),
          hello,
        ],
      },
      'signature',
    ],
    [
      'forgotten thoughts',
      { ...thinking, toolConfig, messages: [hello, say('assistant', use), say('user', result)] },
      'Expected `thinking`',
    ],
    ['too hot', { inferenceConfig: { temperature: 1.2 } }, 'temperature'],
    ['two samplings', { inferenceConfig: { temperature: 0.5, topP: 0.5 } }, 'cannot both be specified'],
    ['too much', { inferenceConfig: { maxTokens: 200_001 } }, 'exceeds the model limit of 200000'],
    [
      'an answer begun that ends in white space',
      { messages: [hello, say('assistant', { text: 'so ' })] },
      'cannot end with trailing whitespace',
    ],
    [
      'what Claude Code tells Anthropic',
      { system: [{ text: 'x-anthropic-billing-header: cc_version=2.1.38; cch=00000;' }, { text: 'Be brief.' }] },
      'reserved keyword',
    ],
    [
      'a fifth cache point',
      { system: [{ text: 'x' }, ...Array.from({ length: 5 }, () => ({ cachePoint: { type: 'default' } }))] },
      'maximum of 4 blocks',
    ],
    ['no tools', { toolConfig: { tools: [] } }, 'greater than or equal to 1'],
    [
      'a document with a file’s name',
      {
        messages: [
          say('user', { text: 'x' }, { document: { name: 'a.pdf', format: 'pdf', source: { bytes: 'AAAA' } } }),
        ],
      },
      'alphanumeric',
    ],
  ])('%s', async (_what, extra, words) => {
    const answer = await sandbox.post(`/bedrock-converse/model/${claude}/converse`, { ...ask('x'), ...extra });
    expect([answer.status, answer.headers.get('x-amzn-errortype')]).toEqual([400, 'ValidationException']);
    expect(await answer.text()).toContain(words);
  });

  const adaptive = { additionalModelRequestFields: { thinking: { type: 'adaptive' } } };
  const forced = { toolConfig: { ...toolConfig, toolChoice: { any: {} } } };
  it.each<[string, string, object, string]>([
    ['sampling', 'us.anthropic.claude-opus-4-7', { inferenceConfig: { temperature: 1 } }, 'deprecated'],
    ['force beside thoughts', 'us.anthropic.claude-opus-4-7', { ...adaptive, ...forced }, 'forces tool use'],
    ['force', 'global.anthropic.claude-opus-5-5', forced, 'not supported for this model'],
    ['a budget', 'global.anthropic.claude-opus-5', thinking, 'thinking.type.enabled'],
  ])('%s of %s', async (_what, model, extra, words) => {
    const answer = await sandbox.post(`/bedrock-converse/model/${model}/converse`, { ...ask('x'), ...extra });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(words)]);
  });

  it('cache points of a model that has no cache', async () => {
    const body = ask('x', { system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }] });
    const answer = await sandbox.post('/bedrock-converse/model/qwen.qwen3-coder-480b-a35b-v1:0/converse', body);
    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.stringContaining('did not allow prompt caching'),
    ]);
  });

  it('takes a turn without the thoughts that led to its calls where the model decides itself how much to think', async () => {
    const body = { ...adaptive, toolConfig, messages: [hello, say('assistant', use), say('user', result)] };
    const { status } = await sandbox.post('/bedrock-converse/model/anthropic.claude-sonnet-5/converse', body);
    expect(status).toBe(200);
  });

  it('takes force beside the thoughts of those that know how', async () => {
    const body = { ...ask('x'), ...adaptive, ...forced };
    for (const model of ['claude-opus-4-8', 'claude-sonnet-5', 'claude-fable-5'])
      expect((await sandbox.post(`/bedrock-converse/model/anthropic.${model}/converse`, body)).status).toBe(200);
  });
});
