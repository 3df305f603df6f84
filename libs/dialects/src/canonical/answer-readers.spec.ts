import { noUsage } from '@tollgate/contracts';
import { targetWith } from '../openai-chat/target.fixture';
import type { AnswerReader } from '../provider-dialect';
import { isRecord } from '../wire/json-value';
import type { AnswerParser, ProviderCodec, SurfaceCodec } from './codec';
import type { GenerationEvent } from './generation-event';
import type { Feature } from './features';
import { features } from './features';
import { passThrough } from './pass-through';
import { translate } from './translate';

/**
 * A dialect of one letter per event: {"t":"text"}, {"u":3} usage, {"f":1} finish, {"z":1} end, {"e":1} error.
 */
class LetterParser implements AnswerParser {
  private isOpen = false;

  onEvent(name: string, value: unknown): GenerationEvent[] {
    if (name === 'error') return [failure];
    if (!isRecord(value)) return [];
    if (typeof value.t === 'string') return this.text(value.t);
    if (typeof value.u === 'number') return [{ type: 'usage', usage: { ...noUsage, input: 1, output: value.u } }];
    if ('f' in value) return [{ type: 'finish', choice: 0, reason: 'stop' }];
    if ('z' in value) return [{ type: 'end' }];
    return 'e' in value ? [failure] : [];
  }

  onDocument(value: unknown): GenerationEvent[] {
    if (!isRecord(value) || typeof value.t !== 'string') return [failure];
    const usage = typeof value.u === 'number' ? this.onEvent('', { u: value.u }) : [];
    return [...this.text(value.t), ...usage, { type: 'finish', choice: 0, reason: 'stop' }];
  }

  onClose(): GenerationEvent[] {
    return [];
  }

  private text(text: string): GenerationEvent[] {
    const begin: GenerationEvent[] = this.isOpen ? [] : [{ type: 'text-start', choice: 0, block: 0 }];
    this.isOpen = true;
    return [...begin, { type: 'text-delta', choice: 0, block: 0, text }];
  }
}

const failure: GenerationEvent = {
  type: 'error',
  error: { fault: 'caller', code: 'told', message: 'Acme told so', retryAfterS: null },
};

const provider: ProviderCodec = {
  name: 'openai-chat',
  framing: 'sse',
  support: Object.fromEntries(features.map((feature) => [feature, 'mapped'])) as Record<Feature, 'mapped'>,
  takesExtra: () => false,
  toRequest: (request) => ({ path: '/p', headers: {}, body: { asked: request.messages.length }, warnings: [] }),
  answerParser: () => new LetterParser(),
  readError: () => ({ fault: 'ours', code: '', message: '', retryAfterS: null }),
};

const surface: SurfaceCodec = {
  name: 'openai-chat',
  turns: 'messages',
  countInputTokens: () => 0,
  fromRequest: () => ({ surface: 'openai-chat', stream: false, messages: [], unread: [] }),
  streamWriter: () => ({
    write: (event) =>
      event.type === 'text-delta' ? event.text : event.type === 'start' ? '<' : event.type === 'end' ? '>' : '',
  }),
  toResponse: (answer) => ({ blocks: answer.choices[0]?.blocks, usage: answer.usage?.output ?? null }),
};

const translation = translate(surface, provider);
const passing = passThrough({
  surface,
  provider,
  address: ({ upstreamModel }) => ({ path: '/p', headers: {}, members: { model: upstreamModel } }),
  ownedFields: ['model'],
  limitField: 'max_tokens',
  countInputTokens: () => 0,
  newEnding: () => ({ add: () => undefined, close: () => '' }),
});

function reader(kind: typeof translation, stream: boolean): AnswerReader {
  return kind.prepare(Buffer.from('{"model":"m","x":1}'), targetWith(stream), { includeUsage: false }).answerReader();
}

/** Feeds the answer cut in two at `at`. */
function feed(answer: AnswerReader, text: string, at: number): string {
  const bytes = Buffer.from(text);
  const out = [answer.push(bytes.subarray(0, at)), answer.push(bytes.subarray(at)), answer.end()];
  return Buffer.concat(out).toString();
}

const whole = 'data: {"t":"he"}\n\ndata: {"t":"llö"}\n\ndata: {"f":1}\n\ndata: {"u":7}\n\ndata: {"z":1}\n\n';

describe.each([
  ['translated', translation, '<hellö>'],
  ['passed through', passing, whole],
] as const)('a stream that is %s', (_, kind, expected) => {
  it('is the same wherever its bytes are cut', () => {
    for (let at = 0; at <= Buffer.byteLength(whole); at++) {
      const answer = reader(kind, true);
      expect(feed(answer, whole, at)).toBe(expected);
      expect(answer).toMatchObject({ state: 'complete', usage: { input: 1, output: 7 }, hasContent: true });
    }
  });

  it('ends with a whole event, also where its provider left out the empty line', () => {
    for (const missing of [1, 2]) expect(feed(reader(kind, true), whole.slice(0, -missing), 0)).toBe(expected);
  });

  it('gives nothing away before the answer began, so that another provider may be tried', () => {
    const answer = reader(kind, true);
    expect(answer.push(Buffer.from(': hi\n\ndata: {"u":1}\n\n'))).toHaveLength(0);
    expect(answer.state).toBe('waiting');
    expect(answer.push(Buffer.from('data: {"t":"a"}\n\n')).length).toBeGreaterThan(0);
    expect(answer.state).toBe('flowing');
  });

  it.each([
    ['is cut off', 'data: {"t":"a"}\n\n', 'unfinished_answer'],
    ['is cut off inside an event', 'data: {"t":"a"}\n\ndata: {"f":', 'malformed_answer'],
    ['ends before it finished', 'data: {"t":"a"}\n\ndata: {"z":1}\n\n', 'unfinished_answer'],
    ['is empty', '', 'empty_answer'],
    ['holds malformed JSON', 'data: {"t":"a"}\n\ndata: {"t"\n\n', 'malformed_answer'],
    ['is a web page', '<html>busy</html>', 'malformed_answer'],
    ['holds an error', 'data: {"t":"a"}\n\ndata: {"e":1}\n\n', 'told'],
    ['holds an error event', 'event: error\ndata: {}\n\n', 'told'],
    ['holds an error event without JSON', 'event: error\ndata: busy\n\n', 'error_in_answer'],
  ])('fails when it %s, and shows no end', (_, text, code) => {
    const answer = reader(kind, true);
    const out = feed(answer, text, 0);
    expect(answer).toMatchObject({ state: 'failed', error: { code } });
    expect(out).not.toMatch(/>|"z"|"e"|error/);
  });

  it('counts the output of a stream that was cut off', () => {
    const answer = reader(kind, true);
    answer.push(Buffer.from('data: {"t":"hello"}\n\ndata: {"t":" world"}\n\n'));
    expect(answer.outputTokensSeen()).toBe(2);
  });
});

describe('an answer in another form than was asked for', () => {
  it.each([
    ['translated', translation],
    ['passed through', passing],
  ] as const)('is brought into the form that was asked for when it is %s', (_, kind) => {
    expect(feed(reader(kind, true), '{"t":"whole"}', 3)).toBe('<whole>');
    expect(JSON.parse(feed(reader(kind, false), whole, 3))).toEqual({
      blocks: [{ type: 'text', text: 'hellö', citations: [] }],
      usage: 7,
    });
  });
});

describe('a document', () => {
  it('passes byte for byte in its own dialect', () => {
    const text = '\n {"t" : "a", "unknown": [1]}\n';
    expect(feed(reader(passing, false), text, 5)).toBe(text.trimStart());
  });

  it.each([true, false])(
    'that is large passes in the pieces in which it came, parsed whole only where its texts count (usage: %s)',
    (told) => {
      const text = 'word '.repeat(500_000);
      const bytes = Buffer.from(JSON.stringify({ t: text, ...(told && { u: 2 }) }));
      const pieces = [bytes.subarray(0, 70_000), bytes.subarray(70_000)];
      const answer = reader(passing, false);
      for (const piece of pieces) answer.push(piece);
      const parse = jest.spyOn(JSON, 'parse');
      const output = answer.endInPieces?.() ?? [];
      const longest = Math.max(...parse.mock.calls.map(([json]) => json.length));
      parse.mockRestore();
      expect(Buffer.concat(output).equals(bytes)).toBe(true);
      expect(output).toHaveLength(2);
      expect(answer).toMatchObject({ state: 'complete', hasContent: true, usage: told ? { output: 2 } : null });
      expect(longest < 1_000).toBe(told);
      expect(Math.round(answer.outputTokensSeen() / 1_000)).toBe(500);
    },
  );

  it('that is large and malformed, behind its long text or in it, fails', () => {
    for (const json of [`{"t":"${'word '.repeat(500_000)}","u":2`, `{"t":"${'word '.repeat(500_000)}`]) {
      const answer = reader(passing, false);
      expect(feed(answer, json, 70_000)).toBe('');
      expect(answer).toMatchObject({ state: 'failed', error: { code: 'malformed_answer' } });
    }
  });

  it.each([
    ['is malformed', '{"t":', 'malformed_answer'],
    ['is empty', ' ', 'empty_answer'],
    ['is an error', '{"e":1}', 'told'],
  ])('fails when it %s', (_, text, code) => {
    const answer = reader(passing, false);
    expect(feed(answer, text, 1)).toBe('');
    expect(answer).toMatchObject({ state: 'failed', error: { code } });
  });
});

describe('a request', () => {
  it('passes with only the model exchanged and the refused fields taken out', () => {
    const body = Buffer.from('{ "model": "public",  "odd" : [1, 2.50], "seed":1 }');
    const { request } = passing.prepare(body, targetWith(false, { dropFields: ['seed'] }), { includeUsage: false });
    expect(Buffer.concat(request.body).toString()).toBe('{ "model": "large-2",  "odd" : [1, 2.50] }');
    expect(request.warnings).toEqual(['seed was dropped: Acme does not take it']);
  });
});
