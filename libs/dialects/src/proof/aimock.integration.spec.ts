import { LLMock } from '@copilotkit/aimock';
import type { DialectName, GenerationSurface } from '@tollgate/contracts';
import { AnswerEvents } from '../canonical/answer-events';
import type { ProviderCodec, SurfaceCodec } from '../canonical/codec';
import { AnswerCollector } from '../canonical/collect-answer';
import { translate } from '../canonical/translate';
import type { AnswerReader } from '../provider-dialect';
import { eventsIn } from './sse-text.fixture';
import { illegal, pairs, readerOf } from './surfaces.fixture';
import { answerContext, numberedIds, targetOf } from './targets.fixture';

/**
 * Somebody else's idea of every provider, so that our dialects are not tested against our own simulator
 * alone. https://aimock.copilotkit.dev
 */
const mock = new LLMock({ port: 0 });

const bases: Record<DialectName, string> = {
  'openai-chat': '/v1',
  'openai-responses': '/v1',
  'anthropic-messages': '/v1',
  gemini: '/v1beta',
  'bedrock-converse': '',
  cohere: '/v2',
};

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

function bodyOf(surface: GenerationSurface, question: string, stream: boolean): object {
  const messages = [{ role: 'user', content: question }];
  switch (surface) {
    case 'openai-chat':
      return {
        model: 'm',
        stream,
        messages,
        tools: [{ type: 'function', function: { name: 'get_weather', parameters } }],
      };
    case 'anthropic-messages':
      return {
        model: 'm',
        stream,
        max_tokens: 500,
        messages,
        tools: [{ name: 'get_weather', input_schema: parameters }],
      };
    case 'openai-responses':
      return {
        model: 'm',
        stream,
        input: question,
        tools: [{ type: 'function', name: 'get_weather', parameters, strict: false }],
      };
  }
}

beforeAll(async () => {
  mock.onMessage(/greet/, { content: 'Grüße 🜁 von aimock' });
  mock.onMessage(/ponder/, { content: 'Forty-two.', reasoning: 'Hm, what?' });
  mock.onMessage(/weather/, { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Köln"}', id: 'call_aimock1' }] });
  mock.onMessage(/refuse/, { error: { message: 'Too many of them', type: 'rate_limit_error' }, status: 429 });
  await mock.start();
});
afterAll(() => mock.stop());

async function send(surface: SurfaceCodec, provider: ProviderCodec, question: string, stream: boolean) {
  const body = Buffer.from(JSON.stringify(bodyOf(surface.name, question, stream)));
  const attempt = translate(surface, provider).prepare(body, targetOf(provider.name, stream), { includeUsage: true });
  const { path, headers, body: sent } = attempt.request;
  const response = await fetch(`${mock.url}${bases[provider.name]}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer key',
      'x-api-key': 'key',
      'x-goog-api-key': 'key',
      ...headers,
    },
    body: Buffer.concat(sent),
  });
  return { attempt, response };
}

async function read(reader: AnswerReader, response: Response): Promise<string> {
  const out: Uint8Array[] = [];
  for await (const piece of response.body ?? []) out.push(reader.push(piece as Uint8Array));
  out.push(reader.end());
  expect([reader.state, reader.error]).toEqual(['complete', null]);
  return Buffer.concat(out).toString();
}

/** What a caller understands of the answer. */
function said(surface: SurfaceCodec, text: string, stream: boolean) {
  const context = { request: answerContext().request, target: targetOf(surface.name, stream), newId: numberedIds() };
  const events = new AnswerEvents(readerOf(surface).answerParser(context), 'Acme');
  const collector = new AnswerCollector();
  const found = stream ? eventsIn(text).flatMap(({ name, data }) => events.event(name, data)) : events.document(text);
  for (const event of found) collector.add(event);
  const blocks = collector.answer().choices[0]?.blocks ?? [];
  return {
    text: blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''),
    calls: blocks.flatMap((block) =>
      block.type === 'tool-call' ? [[block.name, JSON.parse(block.arguments) as unknown]] : [],
    ),
    finish: collector.answer().choices[0]?.finish,
  };
}

describe.each(pairs)('%s, against aimock', (_, surface, provider) => {
  it.each([
    ['streaming', true],
    ['as a document', false],
  ])('answers with text and calls tools, %s', async (__, stream) => {
    for (const [question, expected] of [
      ['Please greet me', { text: 'Grüße 🜁 von aimock', calls: [], finish: 'stop' }],
      ['What is the weather?', { text: '', calls: [['get_weather', { city: 'Köln' }]], finish: 'tool-calls' }],
    ] as const) {
      const { attempt, response } = await send(surface, provider, question, stream);
      expect([response.status, await (response.ok ? '' : response.text())]).toEqual([200, '']);
      const text = await read(attempt.answerReader(), response);
      if (stream) expect(illegal(surface.name, text)).toBeNull();
      expect(said(surface, text, stream)).toEqual(expected);
    }
  });

  it('reads a refusal for the rate as one that may pass', async () => {
    const { response } = await send(surface, provider, 'Please refuse me', true);
    const body = Buffer.from(await response.arrayBuffer());
    const error = provider.readError(response.status, Object.fromEntries(response.headers), body, 'aimock', Date.now());
    expect(error).toMatchObject({ fault: 'retryable' });
  });
});

// Its Cohere says what was thought as a text like any other, which Cohere does not:
// https://docs.cohere.com/docs/reasoning
describe.each(pairs.filter(([, , provider]) => provider.name !== 'cohere'))(
  '%s, against aimock',
  (_, surface, provider) => {
    it('tells what was thought apart from what was said', async () => {
      const { attempt, response } = await send(surface, provider, 'Please ponder', true);
      const text = await read(attempt.answerReader(), response);
      expect(said(surface, text, true)).toMatchObject({ text: 'Forty-two.' });
      expect(text).toContain('what?');
    });
  },
);
