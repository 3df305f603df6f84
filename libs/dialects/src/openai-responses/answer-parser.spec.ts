import { readdirSync, readFileSync } from 'node:fs';
import { AnswerEvents } from '../canonical/answer-events';
import { DocumentPieces, streamPieces } from '../canonical/answer-pieces';
import { AnswerCollector } from '../canonical/collect-answer';
import type { CanonicalAnswer } from '../canonical/answer';
import type { GenerationEvent } from '../canonical/generation-event';
import { numberedIds, targetOf } from '../proof/targets.fixture';
import { parseJson, recordIn } from '../wire/json-value';
import { ResponsesAnswerParser } from './answer-parser';
import { openaiResponsesToOpenaiResponses } from './translation';

const folder = `${__dirname}/__fixtures__`;
const fixtures = readdirSync(folder);
const fixture = (name: string) => readFileSync(`${folder}/${name}`);
const events = () =>
  new AnswerEvents(new ResponsesAnswerParser({ newId: numberedIds(), providerName: 'Acme' }), 'Acme');

function read(...pieces: readonly Uint8Array[]): GenerationEvent[] {
  const stream = streamPieces('sse', events());
  return [...pieces.flatMap((piece) => stream.push(piece)), ...stream.end()];
}

function readDocument(document: unknown): GenerationEvent[] {
  const whole = new DocumentPieces(events());
  return [...whole.push(Buffer.from(JSON.stringify(document))), ...whole.end()];
}

function collected(read: readonly GenerationEvent[]): CanonicalAnswer {
  const collector = new AnswerCollector();
  for (const event of read) collector.add(event);
  return collector.answer();
}

/** The response in the last event of a fixture. */
function wholeResponse(name: string): unknown {
  const data = fixture(name).toString('utf8').trim().split(/\r?\n/).at(-1) ?? '';
  return recordIn({ event: parseJson(data.slice('data: '.length)) }, 'event').response;
}

describe.each(fixtures)('%s', (name) => {
  it('gives the same events however its bytes are cut, with CRLF too', () => {
    const bytes = fixture(name);
    const whole = JSON.stringify(read(bytes));
    const cut = Array.from(bytes.keys()).filter(
      (at) => JSON.stringify(read(bytes.subarray(0, at), bytes.subarray(at))) !== whole,
    );
    expect(cut).toEqual([]);
    expect(JSON.stringify(read(...Array.from(bytes, (byte) => Uint8Array.of(byte))))).toBe(whole);
    const crlf = Buffer.from(bytes.toString('utf8').replaceAll(/\r?\n/g, '\r\n'));
    expect(JSON.stringify(read(crlf))).toBe(whole);
  });

  it('ends whole or failed, as its name says', () => {
    expect(read(fixture(name)).at(-1)?.type).toBe(name.startsWith('fails') ? 'error' : 'end');
  });

  it('passes to a caller of this dialect byte for byte, or fails', () => {
    const body = Buffer.from(JSON.stringify({ model: 'm', input: 'x', stream: true, store: false }));
    const target = targetOf('openai-responses', true);
    const reader = openaiResponsesToOpenaiResponses.prepare(body, target, { includeUsage: false }).answerReader();
    const passed = Buffer.concat([Buffer.from(reader.push(fixture(name))), reader.end()]).toString('utf8');
    expect(reader.state).toBe(name.startsWith('fails') ? 'failed' : 'complete');
    if (name.startsWith('fails')) expect(passed).not.toMatch(/response\.failed|event: error/);
    // The mark that some servers end with is of the other dialect. Seals tell whose they are: see
    // own-reasoning.spec.ts.
    else
      expect(passed.replaceAll('tollgate@acme:', '')).toBe(
        fixture(name).toString('utf8').replace('data: [DONE]\n\n', ''),
      );
  });
});

describe('an answer of a provider of responses', () => {
  it("passes from the moment that OpenAI's own tools are at work", () => {
    const [head = ''] = fixture('openai-own-tools.sse').toString('utf8').split('event: response.web_search_call');
    const body = Buffer.from(JSON.stringify({ model: 'm', input: 'x', stream: true, store: false }));
    const target = targetOf('openai-responses', true);
    const reader = openaiResponsesToOpenaiResponses.prepare(body, target, { includeUsage: false }).answerReader();
    expect(Buffer.from(reader.push(Buffer.from(head))).toString('utf8')).toBe(head);
    expect(reader.state).toBe('flowing');
  });

  it('gives reasoning with its seal, text with its sources, calls and usage', () => {
    const answer = collected(read(fixture('openai-reasoning-tool.sse')));
    expect(answer).toMatchObject({
      id: 'resp_0a1',
      model: 'gpt-5.4-2026-03-05',
      createdAtS: 1_763_700_000,
      usage: { input: 328, cachedInput: 256, output: 135, reasoning: 96 },
    });
    expect(answer.choices).toEqual([
      {
        finish: 'tool-calls',
        rawFinish: 'completed',
        blocks: [
          {
            type: 'reasoning',
            id: 'rs_0a1',
            text: '**Looking**\n\nThen Oslo.',
            seal: { dialect: 'openai-responses', kind: 'encrypted', value: 'gAAAAABo+/x==' },
          },
          {
            type: 'text',
            text: 'Øslo 🌧 is',
            citations: [expect.objectContaining({ url: 'https://a.example/oslo', title: 'Oslo' })],
          },
          { type: 'tool-call', id: 'call_A', name: 'weather', arguments: '{"city":"Oslo"}' },
        ],
      },
    ]);
  });

  it.each(['openai-reasoning-tool.sse', 'openai-refusal.sse', 'openai-incomplete-crlf.sse'])(
    'says the same as a document as it does as the stream %s',
    (name) => {
      const document = collected(readDocument(wholeResponse(name)));
      expect(document).toEqual(collected(read(fixture(name))));
    },
  );

  it.each([
    ['openai-refusal.sse', 'refusal'],
    ['openai-incomplete-crlf.sse', 'length'],
    ['openai-own-tools.sse', 'tool-calls'],
  ])('finishes %s for %s', (name, reason) => {
    expect(collected(read(fixture(name))).choices[0]?.finish).toBe(reason);
  });

  it('reads free text of custom tools as a function with one string, while it comes', () => {
    const deltas = read(fixture('openai-own-tools.sse')).filter(({ type }) => type === 'tool-call-delta');
    expect(deltas.length).toBeGreaterThan(2);
    const [call] = collected(read(fixture('openai-own-tools.sse'))).choices[0]?.blocks ?? [];
    expect(call).toMatchObject({ name: 'apply_patch', arguments: '{"input":"*** \\"Begin\\"\\n"}' });
  });

  it('reads what a server tells in its last event only', () => {
    const [choice] = collected(read(fixture('server-tells-output-at-the-end.sse'))).choices;
    expect(choice?.blocks.map(({ type }) => type)).toEqual(['text', 'tool-call']);
  });

  it('reads the reasoning itself where a model shows it', () => {
    const item = { type: 'reasoning', id: 'rs', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] };
    const answer = collected(readDocument({ status: 'completed', output: [item] }));
    expect(answer.choices[0]?.blocks).toEqual([{ type: 'reasoning', id: 'rs', text: 'Hm.' }]);
  });

  it('makes an id for a call that has none', () => {
    const call = { type: 'function_call', name: 'f', arguments: '{}' };
    expect(readDocument({ status: 'completed', output: [call] })).toContainEqual(
      expect.objectContaining({ type: 'tool-call-start', id: expect.stringMatching(/^call_.{24}/) }),
    );
  });

  it('reads log probabilities', () => {
    const logprobs = [{ token: 'a', logprob: -0.1, bytes: [97], top_logprobs: [{ token: 'b', logprob: -2 }] }];
    const content = [{ type: 'output_text', text: 'a', annotations: [], logprobs }];
    const answer = collected(readDocument({ status: 'completed', output: [{ type: 'message', content }] }));
    expect(answer.choices[0]?.blocks).toMatchObject([
      { logprobs: [{ token: 'a', logprob: -0.1, bytes: [97], top: [{ token: 'b', logprob: -2, bytes: null }] }] },
    ]);
  });

  it.each([
    ['fails-response-failed.sse', 'retryable', 'server_error'],
    ['fails-rate-limit-first.sse', 'retryable', 'rate_limit_exceeded'],
    ['fails-error-event.sse', 'retryable', 'server_error'],
    ['fails-nested-error-event.sse', 'caller', 'context_length_exceeded'],
    ['fails-cut-off.sse', 'retryable', 'unfinished_answer'],
  ])('fails in %s, which is %s: %s', (name, fault, code) => {
    expect(read(fixture(name)).at(-1)).toMatchObject({ type: 'error', error: { fault, code } });
  });

  it('does not show the words of an error that is not of the caller', () => {
    expect(JSON.stringify(read(fixture('fails-rate-limit-first.sse')))).not.toContain('org-123');
  });

  it.each([
    ['an error object', { error: { message: 'no', code: 'server_error' } }],
    ['a failed response', { status: 'failed', output: [], error: { code: 'server_error', message: 'no' } }],
    ['a cancelled response', { status: 'cancelled', output: [] }],
    ['no response', { hello: 'world' }],
    ['a list', []],
  ])('fails for a document that is %s', (_, document) => {
    expect(readDocument(document).at(-1)?.type).toBe('error');
  });

  it('has no usage rather than none where a server tells zeros', () => {
    const usage = { input_tokens: 0, output_tokens: 0 };
    expect(collected(readDocument({ status: 'completed', output: [], usage })).usage).toBeNull();
  });
});
