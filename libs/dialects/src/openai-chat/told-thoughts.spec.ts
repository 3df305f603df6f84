import { noUsage, type DialectName } from '@tollgate/contracts';
import { ContinuedAnswer } from '../canonical/continued-answer';
import { translationFor } from '../translations';
import { isRecord, parseJson, textIn } from '../wire/json-value';
import { openaiChatSurfaceCodec } from './surface-codec';
import { targetWith } from './target.fixture';

const asked = { reasoning: { effort: 'low' } };

/** What a caller of chat completions reads of an answer, by the lines of its stream or as one document. */
function answered(provider: DialectName, said: object, answer: string, stream: boolean, tellThoughts = false): string {
  const body = Buffer.from(
    JSON.stringify({ model: 'a', messages: [{ role: 'user', content: 'hi' }], stream, ...said }),
  );
  const reader = translationFor('openai-chat', provider)
    ?.prepare(body, targetWith(stream), { includeUsage: false, tellThoughts })
    .answerReader();
  const pieces = [reader?.push(Buffer.from(answer)), reader?.end()].map((piece) => piece ?? Buffer.alloc(0));
  expect(reader?.state).toBe('complete');
  return Buffer.concat(pieces).toString();
}

function listIn(value: unknown, name: string): unknown[] {
  const list = isRecord(value) ? value[name] : undefined;
  return Array.isArray(list) ? (list as unknown[]) : [];
}

/** The deltas of the only choice of a stream, but for those of the role and the finish. */
function deltasOf(stream: string): Record<string, unknown>[] {
  const chunks = stream.split('\n\n').map((event) => parseJson(event.slice('data: '.length)));
  const deltas = chunks.flatMap((chunk) => listIn(chunk, 'choices'));
  return deltas
    .map((choice) => (choice as { delta: Record<string, unknown> }).delta)
    .filter((delta) => delta.role === undefined && Object.keys(delta).length > 0);
}

function messageOf(document: string): unknown {
  return (JSON.parse(document) as { choices: { message: unknown }[] }).choices[0]?.message;
}

const chunks = (...deltas: object[]) =>
  [...deltas.map((delta) => ({ delta })), { delta: {}, finish_reason: 'stop' }]
    .map((choice) => `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, ...choice }] })}\n\n`)
    .join('');
const streamed = (...deltas: object[]) => `${chunks({ role: 'assistant', content: '' }, ...deltas)}data: [DONE]\n\n`;
const whole = (message: object) => JSON.stringify({ id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }] });
const piece = (text: string, index = 0) => ({ type: 'reasoning.text', text, format: 'unknown', index });

/** A stream of Claude's that thinks as often as here are thoughts, each in its pieces, and seals each. */
const claudeOf = (...thoughts: string[][]) =>
  [
    { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 3 } } },
    ...thoughts.flatMap((pieces, index) => [
      { type: 'content_block_start', index, content_block: { type: 'thinking', thinking: '' } },
      ...pieces.map((thinking) => ({
        ...{ type: 'content_block_delta', index },
        delta: { type: 'thinking_delta', thinking },
      })),
      { type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: `seal${index}` } },
      { type: 'content_block_stop', index },
    ]),
    { type: 'content_block_start', index: thoughts.length, content_block: { type: 'text', text: 'Yes' } },
    { type: 'content_block_stop', index: thoughts.length },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
const claude = claudeOf(['Hm', ' so'], ['Hm', ' so']);

describe('thoughts, for who asks in words of OpenRouter', () => {
  it('stand in `reasoning` and in details beside what the provider tells, where its bytes pass', () => {
    const stream = streamed({ reasoning_content: 'Hm' }, { reasoning_content: ' so' }, { content: 'Yes' });
    expect(deltasOf(answered('openai-chat', asked, stream, true))).toEqual([
      { reasoning_content: 'Hm', reasoning: 'Hm', reasoning_details: [piece('Hm')] },
      { reasoning_content: ' so', reasoning: ' so', reasoning_details: [piece(' so')] },
      { content: 'Yes' },
    ]);
    const message = { role: 'assistant', content: 'Yes', reasoning_content: 'Hm' };
    expect(messageOf(answered('openai-chat', asked, whole(message), false))).toEqual({
      ...message,
      reasoning: 'Hm',
      reasoning_details: [piece('Hm')],
    });
  });

  it("are told in pieces, with Claude's seal behind them", () => {
    const deltas = deltasOf(answered('anthropic-messages', asked, claude, true));
    const seal = (index: number) => ({
      reasoning_details: [{ type: 'reasoning.text', signature: expect.any(String) as string, index }],
    });
    const told = (text: string, index: number) => ({
      reasoning_content: text,
      reasoning: text,
      reasoning_details: [piece(text, index)],
    });
    expect(deltas).toEqual([
      ...[told('Hm', 0), told(' so', 0), seal(0)],
      ...[told('Hm', 1), told(' so', 1), seal(1)],
      { content: 'Yes' },
    ]);
  });

  it('come back sealed from a client that sends all pieces, or has put them together', () => {
    const deltas = deltasOf(answered('anthropic-messages', asked, claude, true));
    const pieces = deltas.flatMap((delta) => listIn(delta, 'reasoning_details'));
    const read = (details: unknown[]) =>
      openaiChatSurfaceCodec
        .fromRequest({ messages: [{ role: 'assistant', content: 'Yes', reasoning_details: details }] })
        .messages[0]?.parts.filter(({ type }) => type === 'reasoning');
    const thought = (value: string) => ({
      type: 'reasoning',
      text: 'Hm so',
      seal: { dialect: 'anthropic-messages', kind: 'signature', value },
    });
    expect(read(pieces)).toEqual([thought('seal0'), thought('seal1')]);
    const [first, second, seal] = pieces as Record<string, unknown>[];
    expect(read([{ ...first, ...seal, text: `${String(first?.text)}${String(second?.text)}` }])).toEqual([
      thought('seal0'),
    ]);
  });

  it('come back whole from a client that says of each piece that nothing seals it', () => {
    const details = [
      { ...piece('Hm'), signature: '' },
      { ...piece(' so'), signature: '' },
    ];
    const read = (last: object[]) =>
      openaiChatSurfaceCodec
        .fromRequest({ messages: [{ role: 'assistant', content: 'Yes', reasoning_details: [...details, ...last] }] })
        .messages[0]?.parts.filter(({ type }) => type === 'reasoning');
    expect(read([])).toEqual([{ type: 'reasoning', text: 'Hm so' }]);
    const sealed = read([{ type: 'reasoning.text', signature: 's', index: 0 }]);
    expect(sealed).toMatchObject([{ text: 'Hm so', seal: { dialect: 'openai-chat', kind: 'signature' } }]);
    expect(read([{ type: 'reasoning.encrypted', data: '', index: 1 }])?.[1]).toEqual({ type: 'reasoning', text: '' });
  });

  describe('come back once from a client that tells all of them with each of several calls, the last piece first', () => {
    const read = (reasoning_details: unknown[], said: object = {}) =>
      openaiChatSurfaceCodec
        .fromRequest({ messages: [{ role: 'assistant', content: 'Yes', reasoning_details, ...said }] })
        .messages[0]?.parts.filter(({ type }) => type === 'reasoning');
    /** The pieces of a thought as that client keeps them. */
    const joined = (pieces: readonly unknown[]) => ({
      ...(pieces.at(-1) as object),
      text: pieces.map((each) => textIn(each, 'text') ?? '').join(''),
    });
    const sealed = (text: string, value: string): unknown =>
      expect.objectContaining({ text, seal: expect.objectContaining({ value }) as unknown });

    it.each([[['Hm', ' so']], [['Hm']]])('of one thought that was told in these pieces: %j', (texts) => {
      const stream = claudeOf(texts);
      const told = deltasOf(answered('anthropic-messages', asked, stream, true));
      const pieces = told.flatMap((delta) => listIn(delta, 'reasoning_details'));
      const whole = joined(pieces);
      expect(read([pieces.at(-2), whole, whole])).toEqual([sealed(texts.join(''), 'seal0')]);
    });

    it('of several', () => {
      const told = deltasOf(answered('anthropic-messages', asked, claudeOf(['Hm', ' so'], ['Or', ' not']), true));
      const pieces = told.flatMap((delta) => listIn(delta, 'reasoning_details'));
      const thoughts = [joined(pieces.slice(0, 3)), joined(pieces.slice(3))];
      expect(read([pieces.at(-2), ...thoughts, ...thoughts])).toEqual([
        sealed('Hm so', 'seal0'),
        sealed('Or not', 'seal1'),
      ]);
    });

    it.each<[string, string[], string[]]>([
      ['with one call', [' so', 'Hm so'], ['Hm so']],
      ['with two', [' so', 'Hm so', 'Hm so'], ['Hm so']],
      ['that were one piece', ['Hm so', 'Hm so', 'Hm so'], ['Hm so']],
      ['as they were streamed', ['Hm', ' so'], ['Hm so']],
      ['and says more than its text does', ['Hm so', 'Hm so', ' Or'], ['Hm soHm so Or']],
    ])('of what nothing sealed, %s', (_what, texts, thoughts) => {
      const parts = thoughts.map((text) => ({ type: 'reasoning', text }));
      const details = texts.map((text) => piece(text));
      expect(read(details, { reasoning: 'Hm so' })).toEqual(parts);
    });

    it('and keep a summary beside what is sealed without a text', () => {
      const summary = { type: 'reasoning.summary', summary: 'Hm', index: 0 };
      const encrypted = { type: 'reasoning.encrypted', data: 'gAAA', index: 0 };
      expect(read([summary, encrypted, encrypted])).toEqual([
        { type: 'reasoning', text: 'Hm' },
        sealed('', JSON.stringify(encrypted)),
      ]);
    });

    it('but not of what only looks so beside its text', () => {
      const haha = [piece('ha'), piece('haha')];
      expect(read(haha, { reasoning: 'hahaha' })).toEqual([{ type: 'reasoning', text: 'hahaha' }]);
      expect(read(haha, { reasoning: 'haha' })).toEqual([{ type: 'reasoning', text: 'haha' }]);
    });
  });

  it('have another number behind what was said or called between them', () => {
    const thought = { reasoning_content: 'Hm' };
    const tool_calls = [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const stream = streamed(
      thought,
      { content: 'Yes' },
      thought,
      { tool_calls },
      { ...thought, content: 'and' },
      thought,
    );
    const told = (index: number) => ({ ...thought, reasoning: 'Hm', reasoning_details: [piece('Hm', index)] });
    expect(deltasOf(answered('openai-chat', asked, stream, true))).toEqual([
      ...[told(0), { content: 'Yes' }, told(1), { tool_calls }],
      ...[{ ...told(2), content: 'and' }, told(3)],
    ]);
  });

  it('keep the words of details that stand beside words', () => {
    const details = [{ type: 'reasoning.text', text: 'two' }];
    const second = { reasoning_content: 'two', reasoning_details: details };
    const stream = streamed({ reasoning_content: 'one' }, second);
    expect(deltasOf(answered('openai-chat', asked, stream, true))[1]).toEqual({ ...second, reasoning: 'two' });
    const apart = streamed({ reasoning_content: 'one' }, { reasoning_details: details });
    expect(deltasOf(answered('openai-chat', asked, apart, true))[1]).toEqual({ reasoning_details: details });
  });

  it('are not sealed by another place that goes on with a stream', () => {
    const begun = `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { reasoning_content: 'Oh' } }] })}\n\n`;
    const first = new ContinuedAnswer();
    const body = Buffer.from(
      JSON.stringify({ model: 'a', messages: [{ role: 'user', content: 'hi' }], stream: true, ...asked }),
    );
    const readerAt = (provider: DialectName, continued: ContinuedAnswer) =>
      translationFor('openai-chat', provider)
        ?.prepare(body, targetWith(true), { includeUsage: false, continued })
        .answerReader();
    const before = readerAt('openai-chat', first)?.push(Buffer.from(begun));
    const after = readerAt('anthropic-messages', first.next(noUsage, 'it goes on'))?.push(Buffer.from(claude));
    const events = Buffer.concat([before ?? Buffer.alloc(0), after ?? Buffer.alloc(0)]).toString();
    const details = deltasOf(events.replace(/^:.*\n\n/gm, '')).flatMap((delta) => listIn(delta, 'reasoning_details'));
    const parts = openaiChatSurfaceCodec.fromRequest({
      messages: [{ role: 'assistant', content: 'Yes', reasoning_details: details }],
    }).messages[0]?.parts;
    const seal = (value: string): unknown => expect.objectContaining({ value });
    expect(parts?.filter(({ type }) => type === 'reasoning')).toEqual([
      { type: 'reasoning', text: 'Oh' },
      { type: 'reasoning', text: 'Hm so', seal: seal('seal0') },
      { type: 'reasoning', text: 'Hm so', seal: seal('seal1') },
    ]);
  });

  it("of Mistral's stand beside a content that is a text", () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] };
    const content = [thinking, { type: 'text', text: 'Yes' }];
    const told = { content: 'Yes', reasoning_content: 'Hm', reasoning: 'Hm', reasoning_details: [piece('Hm')] };
    expect(deltasOf(answered('openai-chat', asked, streamed({ content }), true))).toEqual([told]);
    expect(messageOf(answered('openai-chat', asked, whole({ content }), false))).toEqual(told);
  });

  it("are OpenRouter's own where it has told them", () => {
    const said = {
      reasoning: 'Hm',
      reasoning_content: 'Hm',
      reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }],
    };
    const signed = { reasoning_details: [{ type: 'reasoning.text', signature: 's', index: 0 }] };
    const stream = streamed(said, signed, { content: 'Yes' });
    expect(answered('openai-chat', asked, stream, true)).toBe(stream);
    expect(answered('openai-chat', asked, whole(said), false)).toBe(whole(said));
  });

  it.each<[string, object, boolean]>([
    ['with how much to think', asked, true],
    ['for thoughts, in the older word', { include_reasoning: true }, true],
    ['for usage', { usage: { include: true } }, true],
    ['for usage, and for no thoughts', { include_reasoning: false, usage: { include: true } }, false],
    ['without thoughts', { reasoning: { effort: 'low', exclude: true } }, false],
    ['with an effort of OpenAI', { reasoning_effort: 'low' }, false],
    ['about it', { metadata: { reasoning: 'yes' }, tools: [{ usage: { include: true } }] }, false],
  ])('are told so to who asks %s: %j', (_what, said, isTold) => {
    const message = { content: 'Yes', reasoning_content: 'Hm' };
    const answer = answered('openai-chat', said, whole(message), false);
    expect(messageOf(answer)).toEqual(isTold ? expect.objectContaining({ reasoning: 'Hm' }) : message);
  });
});

describe("thoughts, for who comes to OpenRouter's address", () => {
  it.each<[string, object, boolean]>([
    ['says nothing of them', {}, true],
    ['speaks of them elsewhere', { metadata: { reasoning: 'no' } }, true],
    ['asks for no usage', { usage: { include: false } }, true],
    ['wants none', { include_reasoning: false }, false],
    ['wants them left out', { reasoning: { exclude: true } }, false],
  ])('are told to who %s: %j', (_what, said, isTold) => {
    const message = { content: 'Yes', reasoning_content: 'Hm' };
    const answer = answered('openai-chat', said, whole(message), false, true);
    expect(messageOf(answer)).toEqual(isTold ? expect.objectContaining({ reasoning: 'Hm' }) : message);
  });
});

describe('thoughts that clients of OpenRouter send back', () => {
  const turn = { role: 'assistant', content: 'Yes' };
  const sealed = { type: 'reasoning.text', text: 'Hm', signature: 's' };
  const dropped = ['reasoning', 'reasoning_details'];
  function sent(message: object) {
    const target = targetWith(false, { reasoningField: 'reasoning_content', dropMessageFields: dropped });
    const body = Buffer.from(JSON.stringify({ model: 'a', messages: [{ ...turn, ...message }] }));
    const request = translationFor('openai-chat', 'openai-chat')?.prepare(body, target, {
      includeUsage: false,
    }).request;
    const { messages } = JSON.parse(Buffer.concat(request?.body ?? []).toString()) as { messages: unknown[] };
    return [messages[0], request?.warnings];
  }

  it.each<[string, object, object, string[]]>([
    ['as a text', { reasoning: 'Hm', reasoning_details: [piece('Hm')] }, { reasoning_content: 'Hm' }, []],
    ['in details alone', { reasoning_details: [piece('Hm'), piece(' so')] }, { reasoning_content: 'Hm so' }, []],
    [
      'under all names',
      { reasoning_content: 'Hm', reasoning: 'Hm', reasoning_details: [piece('Hm')] },
      { reasoning_content: 'Hm' },
      [],
    ],
    [
      'beside a seal of nothing',
      { reasoning_details: [{ ...piece('Hm'), signature: '' }] },
      { reasoning_content: 'Hm' },
      [],
    ],
    [
      'sealed by another provider',
      { reasoning: 'Hm', reasoning_details: [sealed] },
      {},
      dropped.map((field) => `${field} of messages was dropped: Acme does not take it`),
    ],
  ])('reach a provider by its own name, %s', (_what, said, told, warnings) => {
    expect(sent(said)).toEqual([{ ...turn, ...told }, warnings]);
  });
});

describe('the older wish of OpenRouter for thoughts, at a model of another format', () => {
  const warnings = (wish: boolean | null) => {
    const body = Buffer.from(
      JSON.stringify({ model: 'a', messages: [{ role: 'user', content: 'hi' }], include_reasoning: wish }),
    );
    const translation = translationFor('openai-chat', 'anthropic-messages');
    return translation?.prepare(body, targetWith(false), { includeUsage: false }).request.warnings;
  };

  it('is no setting that was dropped, since it is obeyed', () => expect(warnings(true)).toEqual([]));

  it('is nothing, where it says nothing', () => expect(warnings(null)).toEqual([]));

  it('is one where it wants none, which are told by another name', () =>
    expect(warnings(false)).toEqual(['include_reasoning was dropped: Acme does not take it']));
});
