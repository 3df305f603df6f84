import { targetWith } from '../openai-chat/target.fixture';
import { RequestFields } from '../canonical/request-fields';
import { asItems, composedPieces, inputAt, insideOf, joinedPieces, readState } from './kept-conversation';
import { openaiResponsesToOpenaiResponses } from './translation';

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const read = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString());
const inputOf = (body: Buffer): unknown => {
  const at = inputAt(body);
  return read(asItems(at ? body.subarray(at.start, at.end) : Buffer.alloc(0)));
};

describe('a conversation before an input', () => {
  it.each([
    ['a text', '{"input":"é \\"x\\""}', 'é "x"'],
    ['the last of two', '{"input":"first", "input" : "last"}', 'last'],
    ['one behind a mark of byte order', '\ufeff{"input":"x"}', 'x'],
  ])('is read from %s', (_, body, text) => {
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
    expect(inputOf(Buffer.from(body))).toEqual([item]);
  });

  it('is read from items as they came, and is empty where there are none', () => {
    const at = inputAt(Buffer.from('{"input": [ {"n":1.0} ] }'));
    expect(at).toEqual({ start: 10, end: 23 });
    for (const body of ['{}', '{"input":null}', '{"input":[]}']) expect(inputOf(Buffer.from(body))).toEqual([]);
  });

  it('keeps the order of what comes together, and every byte of the rest', () => {
    const joined = (...all: Uint8Array[]) => Buffer.concat(joinedPieces(all.map(insideOf)));
    expect(read(joined(json([1, 2]), Buffer.from(' [ ] '), json([]), json(['[3]'])))).toEqual([1, 2, '[3]']);
    expect(joined().toString()).toBe('[]');
    const lists = [json(['a picture']), json(['what is new'])].map((list) => Uint8Array.from(list));
    const own = joinedPieces(lists.map(insideOf)).filter(({ buffer }) => lists.some((list) => list.buffer === buffer));
    expect(own.map((piece) => Buffer.from(piece).toString())).toEqual(['"a picture"', '"what is new"']);
    const body = Buffer.from('{"model":"m", "top_p":1.0,"previous_response_id":"r","input":"x"}');
    const asIs = { items: null, isNamed: true, waits: false, isKept: true };
    const composed = (of: Buffer, changes: object) => Buffer.concat(composedPieces(of, { ...asIs, ...changes }));
    expect(composed(body, {}).equals(body)).toBe(true);
    expect(composed(body, { items: [json([1])] }).toString()).toBe(body.toString().replace('"x"', '[1]'));
    expect(read(composed(body, { items: [json([1])], isNamed: false }))).not.toHaveProperty('previous_response_id');
    const inBackground = json({ store: true, background: true, background_options: {}, input: 'x' });
    expect(read(composed(inBackground, { items: [json([1])], waits: true, isKept: false }))).toEqual({
      input: [1],
      store: false,
    });
  });
});

describe('a provider of responses', () => {
  const attempt = (body: object, stream: boolean, reasons = false, compacts = true) => {
    const target = targetWith(stream);
    target.model.capabilities.reasoning = reasons;
    target.provider.quirks.compacts = compacts;
    return openaiResponsesToOpenaiResponses.prepare(json({ model: 'm', ...body }), target, { includeUsage: false });
  };
  const sent = (body: object, reasons = false) => read(Buffer.concat(attempt(body, false, reasons).request.body));

  it('keeps nothing, and is told of nothing that the gateway keeps', () => {
    for (const state of [{ previous_response_id: 'resp_1' }, { conversation: 'conv_1' }])
      expect(sent({ input: [], ...state, store: true })).toEqual({ model: 'large-2', input: [], store: false });
  });

  it('seals the reasoning of what can be gone on from, where its model reasons', () => {
    const include = ['reasoning.encrypted_content'];
    expect(sent({ input: 'x' }, true)).toMatchObject({ include });
    expect(sent({ input: 'x', include: ['a'] }, true)).toMatchObject({ include: ['a', ...include] });
    expect(sent({ input: 'x', include }, true)).toMatchObject({ include });
    expect(sent({ input: 'x', store: false }, true)).not.toHaveProperty('include');
    expect(sent({ input: 'x', store: false, conversation: 'conv_1' }, true)).toMatchObject({ include });
    // Who knows no sealed reasoning would refuse to be asked for it.
    expect(read(Buffer.concat(attempt({ input: 'x' }, false, true, false).request.body))).not.toHaveProperty('include');
  });

  it('is told which items are referred to, their type given or not, and no more of them than are looked for', () => {
    const wish = (input: unknown) => readState(RequestFields.of({ input }, ''));
    const items = [{ type: 'item_reference', id: 'a' }, { id: 'b' }, { id: 'c', type: null }, { id: 'a' }];
    expect(wish([...items, { id: 'd', type: 'message' }, { id: 'e', role: 'user' }]).references).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(() => wish(Array.from({ length: 257 }, (_, at) => ({ id: `m${at}` })))).toThrow('at most 256 items');
  });

  it.each(['conv_1', { id: 'conv_1' }])(
    'has its response name the conversation that it is added to, as an object (%j)',
    (conversation) => {
      const response = { id: 'r', object: 'response', status: 'completed', store: false, output: [], usage: null };
      const reader = attempt({ input: 'x', conversation, store: false }, false).answerReader();
      const shown = Buffer.concat([reader.push(json(response)), reader.end()]);
      expect(read(shown)).toEqual({ ...response, conversation: { id: 'conv_1' } });
    },
  );

  it.each([true, false])('has its responses repeat what the caller asked of the gateway (stream: %s)', (stream) => {
    const response = { id: 'r', object: 'response', status: 'completed', store: false, output: [], usage: null };
    const tool = { 'event: response.completed': '"store":false' };
    const events = [
      { type: 'response.created', response },
      { type: 'response.completed', response: { ...response, tool } },
    ];
    const text = stream
      ? events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
      : JSON.stringify({ ...response, tool });
    const reader = attempt({ input: 'x', previous_response_id: 'resp_0', stream }, stream).answerReader();
    const shown = Buffer.concat([reader.push(Buffer.from(text)), reader.end()]).toString();
    expect(reader.error).toBeNull();
    const told = { ...response, store: true, previous_response_id: 'resp_0' };
    const last = stream ? shown.slice(shown.lastIndexOf('\ndata: ') + 7) : shown;
    expect(JSON.parse(last)).toEqual(
      stream ? { type: 'response.completed', response: { ...told, tool } } : { ...told, tool },
    );
  });
});
