import type { DialectName, GenerationSurface } from '@tollgate/contracts';
import { TranslatedCalls } from './translated-calls.fixture';

let calls: TranslatedCalls;
beforeAll(async () => {
  calls = await TranslatedCalls.start();
});
afterAll(() => calls.close());

const data = 'iVBORw0KGgo=';
const textModels: readonly [model: string, provider: string][] = [
  ['deepseek-v4-pro', 'deepseek'],
  ['glm-5.2', 'zai'],
];

const chatImage = { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } };
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
const inputImage = { type: 'input_image', image_url: `data:image/png;base64,${data}` };
const parameters = { type: 'object', properties: { path: { type: 'string' } } };
const read = { name: 'read', arguments: '{"path":"a.png"}' };

/** What agents send once a tool has read a picture, on each surface: then, and in the turn after it. */
const sessions: Record<GenerationSurface, object[]> = {
  'openai-chat': [
    { role: 'user', content: 'What is in a.png?' },
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'I read it.',
      tool_calls: [{ id: 'call_1', type: 'function', function: read }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: [chatImage] },
    { role: 'assistant', content: 'I cannot see it.', reasoning_content: 'It is a picture.' },
    { role: 'user', content: 'Go on without it.' },
  ],
  'anthropic-messages': [
    { role: 'user', content: 'What is in a.png?' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'a.png' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: [image] }] },
    { role: 'assistant', content: 'I cannot see it.' },
    { role: 'user', content: 'Go on without it.' },
  ],
  'openai-responses': [
    { role: 'user', content: 'What is in a.png?' },
    { type: 'function_call', call_id: 'call_1', ...read },
    { type: 'function_call_output', call_id: 'call_1', output: [inputImage] },
    { role: 'assistant', content: 'I cannot see it.' },
    { role: 'user', content: 'Go on without it.' },
  ],
};

const tools: Record<GenerationSurface, object> = {
  'openai-chat': { type: 'function', function: { name: 'read', parameters } },
  'anthropic-messages': { name: 'read', input_schema: parameters },
  'openai-responses': { type: 'function', name: 'read', parameters },
};

function bodyOf(surface: GenerationSurface, turns: object[]): Record<string, unknown> {
  const list = surface === 'openai-responses' ? { input: turns } : { messages: turns };
  return { model: 'm', max_tokens: 100, tools: [tools[surface]], ...list };
}

const rows = (Object.keys(sessions) as GenerationSurface[]).flatMap((surface) =>
  textModels.flatMap(([model, provider]) => [3, 5].map((turns) => ({ surface, model, provider, turns }))),
);

// https://github.com/Alishahryar1/free-claude-code/issues/359
// https://github.com/anomalyco/opencode/issues/41163
describe.each(rows)('a session of $surface at $model, $turns turns long', ({ surface, model, provider, turns }) => {
  it('goes on where a tool has read a picture', async () => {
    const body = bodyOf(surface, sessions[surface].slice(0, turns));
    const dialect: DialectName = 'openai-chat';
    const place = { dialect, model, provider, takes: ['text' as const], quirks: { insistsOnReasoning: ['deepseek-'] } };
    const { answer, received, attempt } = await calls.send(surface, place, body);
    expect({ status: answer.status, told: Buffer.from(received).toString() }).toMatchObject({ status: 200 });
    expect(attempt.request.warnings).toContainEqual(expect.stringContaining('images'));
  });
});
