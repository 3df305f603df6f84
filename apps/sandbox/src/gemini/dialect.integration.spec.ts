import { isRecord } from '../request/record';
import { RunningSandbox } from '../testing/running-sandbox.fixture';

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await RunningSandbox.start();
});
afterAll(() => sandbox.close());

interface Part {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: { id?: string; name: string; args: object };
}

interface Answer {
  candidates?: {
    content: { role: string; parts: Part[] };
    finishReason?: string;
    index: number;
    logprobsResult?: object;
    groundingMetadata?: object;
  }[];
  usageMetadata?: Record<string, unknown>;
  promptFeedback?: object;
}

const third = 'gemini-3-flash';
const ask = (text: string, extra: object = {}) => ({ contents: [{ role: 'user', parts: [{ text }] }], ...extra });
const tools = [
  {
    functionDeclarations: ['look_up', 'add'].map((name) => ({
      name,
      parameters: { type: 'OBJECT', properties: { what: { type: 'STRING' } } },
    })),
  },
];
const thoughts = { generationConfig: { thinkingConfig: { includeThoughts: true } } };

async function generate(body: object, model = third): Promise<Answer> {
  const answer = await sandbox.post(`/gemini/models/${model}:generateContent`, body);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Answer;
}

async function streamed(body: object, model = third): Promise<Answer[]> {
  const answer = await sandbox.post(`/gemini/models/${model}:streamGenerateContent?alt=sse`, body);
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const events = (await answer.text()).split('\r\n\r\n').filter((event) => event !== '');
  return events.map((event) => JSON.parse(event.replace('data: ', '')) as Answer);
}

function partsIn(answers: readonly Answer[]): Part[] {
  return answers.flatMap(({ candidates }) => candidates?.flatMap(({ content }) => content.parts) ?? []);
}

function textIn(answers: readonly Answer[]): string {
  return partsIn(answers)
    .map(({ text, thought }) => (thought ? '' : (text ?? '')))
    .join('');
}

describe('answers', () => {
  it('say the same with and without a stream, and the last one counts', async () => {
    const plain = await generate(ask('hello there', thoughts));
    const events = await streamed(ask('hello there', thoughts));
    expect(textIn(events)).toBe(textIn([plain]));
    expect(events.at(-1)?.usageMetadata).toEqual(plain.usageMetadata);
    expect(events.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP');
    expect(events.slice(0, -1).every(({ candidates }) => candidates?.[0]?.finishReason === undefined)).toBe(true);
  });

  it('are one JSON array without alt=sse', async () => {
    const answer = await sandbox.post(`/gemini/models/${third}:streamGenerateContent`, ask('hello'));
    const list: unknown = await answer.json();
    expect(Array.isArray(list) && list.length > 5 && list.every(isRecord)).toBe(true);
  });

  it('sign the first of parallel calls, and go on when all comes back', async () => {
    const body = ask('use look_up and add', { tools, ...thoughts });
    const parts = partsIn(await streamed(body)).filter(({ functionCall }) => functionCall);
    expect(parts.map(({ thoughtSignature }) => typeof thoughtSignature)).toEqual(['string', 'undefined']);
    const responses = parts.map(({ functionCall }) => ({
      functionResponse: {
        id: functionCall?.id,
        name: functionCall?.name,
        response: { output: `${functionCall?.name}!` },
      },
    }));
    const contents = [...body.contents, { role: 'model', parts }, { role: 'user', parts: responses }];
    expect(textIn([await generate({ ...body, contents })])).toBe('The tools said: look_up! and add!');
  });

  it('follow a schema in both forms', async () => {
    for (const form of ['responseSchema', 'responseJsonSchema']) {
      const schema = { type: 'object', properties: { size: { type: 'integer' } } };
      const config = { responseMimeType: 'application/json', [form]: schema };
      expect(textIn([await generate(ask('fill', { generationConfig: config }))])).toBe('{"size":7}');
    }
  });

  it('end as they must', async () => {
    const cut = await generate(
      ask('hi', { generationConfig: { maxOutputTokens: 4, candidateCount: 2, responseLogprobs: true, logprobs: 2 } }),
    );
    expect(cut.candidates).toMatchObject([
      { index: 0, finishReason: 'MAX_TOKENS', logprobsResult: { topCandidates: { length: 4 } } },
      { index: 1, finishReason: 'MAX_TOKENS' },
    ]);
    const blocked = await generate(ask('[[sandbox: finish=refusal]]'));
    expect([blocked.candidates, blocked.promptFeedback]).toEqual([undefined, { blockReason: 'PROHIBITED_CONTENT' }]);
    expect((await generate(ask('[[sandbox: finish=filter]]'))).candidates).toMatchObject([{ finishReason: 'SAFETY' }]);
    const searched = await streamed(ask('hello', { tools: [{ googleSearch: {} }] }));
    expect(searched.at(-1)?.candidates).toMatchObject([
      { groundingMetadata: { groundingChunks: [{ web: { uri: 'https://example.com/' } }] } },
    ]);
  });

  it('tell of the cache that long prompts come from, and when to come back', async () => {
    const long = ask('long ago '.repeat(600));
    expect((await generate(long)).usageMetadata).not.toHaveProperty('cachedContentTokenCount');
    expect((await generate(long)).usageMetadata?.cachedContentTokenCount).toBeGreaterThan(1_000);
    const limited = await sandbox.post(
      `/gemini/models/${third}:generateContent`,
      ask('[[sandbox: fault=429 retry_after=7]]'),
    );
    expect(await limited.json()).toMatchObject({
      error: { code: 429, status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '7s' }] },
    });
  });
});

const call = { functionCall: { name: 'add', args: {} } };
const response = { functionResponse: { name: 'add', response: {} } };
const user = { role: 'user', parts: [{ text: 'x' }] };
const turns = (part: object, ...responses: object[]) => ({
  tools,
  contents: [user, { role: 'model', parts: [part] }, { role: 'user', parts: responses }],
});

describe('requests that Google refuses', () => {
  it.each<[string, string, object, string]>([
    [
      'a search beside functions',
      'gemini-2.5-pro',
      ask('x', { tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'f' }] }] }),
      'Tool use with function calling',
    ],
    [
      'a search beside functions that nobody shows again',
      third,
      ask('x', { tools: [{ googleSearch: {}, functionDeclarations: [{ name: 'f' }] }] }),
      'include_server_side_tool_invocations',
    ],
    ['an assistant', third, { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] }, 'valid role'],
    ['no parts', third, { contents: [{ role: 'user', parts: [] }] }, 'must not be empty'],
    ['an unsigned call', third, turns(call, response), 'thought_signature'],
    ['a changed signature', third, turns({ ...call, thoughtSignature: 'x' }, response), 'Corrupted'],
    ['too many responses', 'gemini-2.5-pro', turns(call, response, response), 'number of function response parts'],
    [
      'a response without a call',
      third,
      { contents: [{ role: 'user', parts: [response] }] },
      'immediately after a function call',
    ],
    [
      'JSON Schema among OpenAPI',
      third,
      ask('x', {
        tools: [
          {
            functionDeclarations: [
              {
                name: 'a',
                parameters: { type: 'OBJECT', properties: { b: { type: 'STRING' } }, additionalProperties: false },
              },
            ],
          },
        ],
      }),
      'additionalProperties',
    ],
    [
      'a schema without JSON',
      third,
      ask('x', { generationConfig: { responseSchema: { type: 'STRING' } } }),
      'mime type',
    ],
    [
      'tools and JSON before Gemini 3',
      'gemini-2.5-flash',
      ask('x', { tools, generationConfig: { responseMimeType: 'application/json' } }),
      'unsupported',
    ],
    [
      'a level before Gemini 3',
      'gemini-2.5-flash',
      ask('x', { generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } }),
      'not supported',
    ],
    [
      'a level that Carbon does not have',
      'gemini-4-carbon',
      ask('x', { generationConfig: { thinkingConfig: { thinkingLevel: 'XHIGH' } } }),
      'XHIGH is not supported',
    ],
    [
      'a budget out of range',
      'gemini-2.5-pro',
      ask('x', { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }),
      'budget',
    ],
    ['an unknown setting', third, ask('x', { generationConfig: { max_tokens: 5 } }), 'max_tokens'],
    [
      'names without ANY',
      third,
      ask('x', { tools, toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['add'] } } }),
      'ANY',
    ],
    ['a setting of what is kept that is no yes or no', third, ask('x', { store: 'no' }), 'store'],
    [
      'too much',
      third,
      ask('x', { generationConfig: { maxOutputTokens: 65_537 } }),
      'maxOutputTokens value of 65537 but the supported range is from 1 (inclusive) to 65537 (exclusive)',
    ],
    ['too hot', third, ask('x', { generationConfig: { temperature: 2.5 } }), 'temperature'],
  ])('%s', async (_what, model, body, words) => {
    const answer = await sandbox.post(`/gemini/models/${model}:generateContent`, body);
    const told = (await answer.json()) as object;
    expect([answer.status, told]).toMatchObject([400, { error: { code: 400, status: 'INVALID_ARGUMENT' } }]);
    expect(JSON.stringify(told)).toContain(words);
  });
});

it('is addressed as at Vertex AI, where older models know no ids of calls', async () => {
  const path = '/gemini/publishers/google/models/gemini-2.5-pro:generateContent';
  expect((await sandbox.post(path, ask('x', { store: false }))).status).toBe(400);
  expect((await sandbox.post(path, ask('hello'))).status).toBe(200);
  const withIds = turns(
    { functionCall: { ...call.functionCall, id: 'a' } },
    { functionResponse: { ...response.functionResponse, id: 'a' } },
  );
  expect((await sandbox.post(path, withIds)).status).toBe(400);
});
