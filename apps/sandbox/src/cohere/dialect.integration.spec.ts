import { RunningSandbox } from '../testing/running-sandbox.fixture';

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await RunningSandbox.start();
});
afterAll(() => sandbox.close());

const ask = (content: string, extra: object = {}) => ({
  model: 'command-a-reasoning-08-2025',
  messages: [{ role: 'user', content }],
  ...extra,
});
const tools = ['look_up', 'add'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { what: { type: 'string' } } } },
}));

interface Answer {
  finish_reason: string;
  message: {
    role: string;
    content?: { type: string; text?: string; thinking?: string }[];
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
    tool_plan?: string;
    citations?: object[];
  };
  usage: object;
  logprobs?: object[];
}

async function chat(body: object): Promise<Answer> {
  const answer = await sandbox.post('/cohere/chat', body);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Answer;
}

interface Event {
  type: string;
  index?: number;
  delta?: {
    message?: { content?: { text?: string }; tool_calls?: { function?: { arguments?: string } } };
    finish_reason?: string;
    usage?: object;
  };
}

async function streamed(body: object): Promise<Event[]> {
  const answer = await sandbox.post('/cohere/chat', { ...body, stream: true });
  const lines = (await answer.text()).split('\n').filter((line) => line.startsWith('data: '));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)) as Event);
}

describe('answers', () => {
  it('say the same with and without a stream, and count alike', async () => {
    const body = ask('hello there', { thinking: { type: 'enabled' } });
    const plain = await chat(body);
    const events = await streamed(body);
    const text = events.map(({ delta }) => delta?.message?.content?.text ?? '').join('');
    expect(plain.message.content).toMatchObject([{ type: 'thinking' }, { type: 'text', text }]);
    expect(events.at(-1)).toMatchObject({
      type: 'message-end',
      delta: { finish_reason: 'COMPLETE', usage: plain.usage },
    });
  });

  it('plan and call two tools at once, and repeat what they said', async () => {
    const body = ask('[[sandbox: unicode=1 bits=1]] use look_up and add', { tools });
    const { message, finish_reason: reason } = await chat(body);
    const calls = message.tool_calls ?? [];
    expect([reason, calls.length, typeof message.tool_plan]).toEqual(['TOOL_CALL', 2, 'string']);
    const bits = (await streamed(body)).filter(({ type, index }) => type === 'tool-call-delta' && index === 1);
    expect(bits.map(({ delta }) => delta?.message?.tool_calls?.function?.arguments).join('')).toBe(
      calls[1]?.function.arguments,
    );
    const results = calls.map(({ id, function: { name } }) => ({
      role: 'tool',
      tool_call_id: id,
      content: [{ type: 'document', document: { data: `${name}!` } }],
    }));
    const last = await chat({ ...body, messages: [...body.messages, message, ...results] });
    expect(last.message.content).toEqual([{ type: 'text', text: 'The tools said: look_up! and add!' }]);
  });

  it('follow a schema that they are told in words, also beside tools', async () => {
    const told = 'It must fit this JSON schema: {"type":"object","properties":{"city":{"type":"string"}}}';
    const messages = [{ role: 'system', content: told }, hello];
    const { message } = await chat(ask('x', { messages, tools }));
    expect(message.content).toEqual([{ type: 'text', text: '{"city":"example"}' }]);
  });

  it('cite documents, tell log probabilities, and end as they must', async () => {
    const cited = ask('flow?', {
      documents: [{ id: 'r', data: { title: 'Rivers', text: 'Rivers flow.' } }],
      logprobs: true,
    });
    const plain = await chat(cited);
    expect(plain.message.citations).toMatchObject([{ start: 0, sources: [{ type: 'document', id: 'r' }] }]);
    expect(plain.logprobs?.[0]).toMatchObject({ text: 'The', logprobs: [expect.any(Number)] });
    expect((await streamed(cited)).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['citation-start', 'citation-end']),
    );
    expect((await chat(ask('hi', { max_tokens: 4 }))).finish_reason).toBe('MAX_TOKENS');
    expect((await chat(ask('hi', { stop_sequences: [' heard'] }))).finish_reason).toBe('STOP_SEQUENCE');
  });
});

const call = { id: 'a', type: 'function', function: { name: 'add', arguments: '{}' } };
const hello = { role: 'user', content: 'x' };

describe('requests that Cohere refuses', () => {
  it.each<[string, object, string]>([
    ['an unknown role', { messages: [{ role: 'developer', content: 'x' }] }, 'role'],
    [
      'an assistant that says nothing',
      { messages: [hello, { role: 'assistant', content: '' }, hello] },
      'at least one',
    ],
    [
      'a result without its call',
      { messages: [hello, { role: 'tool', tool_call_id: 'a', content: 'x' }] },
      'no tool call',
    ],
    [
      'a call without its result',
      { messages: [hello, { role: 'assistant', tool_calls: [call] }, hello] },
      'followed by their results',
    ],
    ['a name with a dash', { tools: [{ type: 'function', function: { name: 'look-up' } }] }, 'underscores'],
    ['a choice without tools', { tool_choice: 'REQUIRED' }, 'without tools'],
    ['a choice of OpenAI', { tools, tool_choice: 'auto' }, 'REQUIRED'],
    ['JSON and tools', { tools, response_format: { type: 'json_object' } }, 'not supported with tools'],
    ['a field of OpenAI', { top_p: 0.5 }, 'top_p'],
    ['too much p', { p: 1 }, 'p: must be'],
    ['six stops', { stop_sequences: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'stop_sequences'],
  ])('%s', async (_what, extra, words) => {
    const answer = await sandbox.post('/cohere/chat', { ...ask('x'), ...extra });
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { message: string }).message).toContain(words);
  });
});
