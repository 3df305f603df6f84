import fc from 'fast-check';
import type { CanonicalRequest, MessagePart } from '../canonical/generation-request';
import type { SurfaceCodec } from '../canonical/codec';
import { surfaceCodecs } from '../translations';
import { mapRequestTexts, mapTextsIn, textRunsOf, withTexts } from '../wire/request-texts';
import { chatBody } from './random-chat-body.fixture';
import { messagesBody } from './random-messages-body.fixture';
import { responsesBody } from './random-responses-body.fixture';

const bodies = { 'openai-chat': chatBody, 'anthropic-messages': messagesBody, 'openai-responses': responsesBody };
const mark = '\u00a4';

/** The texts that a model is to read, as the codec of the surface finds them. */
function textsOf(request: CanonicalRequest): string[] {
  const ofPart = (part: MessagePart): string[] => {
    if (part.type === 'text' || part.type === 'refusal') return [part.text];
    if (part.type === 'tool-result')
      return part.content.flatMap((inner) => (inner.type === 'text' ? [inner.text] : []));
    return [];
  };
  const descriptions = (request.tools ?? []).flatMap(({ description }) => description ?? []);
  return [...request.messages.flatMap(({ parts }) => parts.flatMap(ofPart)), ...descriptions].filter((text) => text);
}

function read(surface: SurfaceCodec, body: unknown): CanonicalRequest | null {
  try {
    return surface.fromRequest(body as Record<string, unknown>);
  } catch {
    return null;
  }
}

describe.each(surfaceCodecs.map((surface) => [surface.name, surface] as const))('a request of %s', (name, surface) => {
  it('has no text for a model that the map does not see, and stays a request', () => {
    let seen = 0;
    fc.assert(
      fc.property(bodies[name], (body) => {
        const before = read(surface, body);
        if (!before) return;
        const after = read(
          surface,
          mapRequestTexts(body, (text) => mark + text),
        );
        if (!after) throw new Error('the mapped request is none');
        expect(textsOf(after).filter((text) => !text.includes(mark))).toEqual([]);
        expect(textsOf(after).length).toBeGreaterThanOrEqual(textsOf(before).length);
        seen += textsOf(after).length;
      }),
      { seed: 20_260_101, numRuns: 500 },
    );
    expect(seen).toBeGreaterThan(500);
  });

  it('is the same object when no text changes', () => {
    fc.assert(fc.property(bodies[name], (body) => expect(mapRequestTexts(body, (text) => text)).toBe(body)));
  });
});

it.each([
  ['{"a":"x","b":[1,"x"],"c":{"x":"x"}}', '{"a":"y","b":[1,"y"],"c":{"x":"y"}}'],
  ['{"n":4}', '{"n":"four"}'],
  ['{"a": 1}', '{"a": 1}'],
  ['{"a":"x","a":1}', '{"a":1}'],
  ['broken x {', 'broken y {'],
  ['', ''],
])('arguments %s stay JSON where they are', (json, mapped) => {
  expect(mapTextsIn(json, (text) => text.replaceAll('x', 'y').replace('4', 'four'))).toBe(mapped);
});

it('names in arguments that a caller sends are read, and stay apart', () => {
  const called = (text: string) => ({ tool_calls: [{ function: { arguments: text } }] });
  const map = (text: string) => text.replaceAll('x', 'y');
  expect(mapRequestTexts(called('{"x":"x","y":{"x":1}}'), map)).toEqual(called('{"y":"y","y_2":{"y":1}}'));
});

it('many names that become the same stay apart, each in one step', () => {
  const members = Object.fromEntries(Array.from({ length: 50_000 }, (_none, index) => [`${index}`, index]));
  const mapped = mapRequestTexts({ metadata: members }, (text) => (/^\d/.test(text) ? 'number' : text));
  expect(Object.keys((mapped as { metadata: object }).metadata).slice(-2)).toEqual(['number_49999', 'number_50000']);
});

it('what stands openly in the place of a seal is read', () => {
  const part = (text: string) => ({ type: 'encrypted_content', encrypted_content: text });
  const item = { type: 'agent_message', content: [part('secret'), part('gAAAAABsecret')] };
  expect(mapRequestTexts({ input: [item] }, () => 'x')).toEqual({
    input: [{ ...item, content: [part('x'), part('gAAAAABsecret')] }],
  });
});

it('media, seals and words of the format stay as they are, and plain documents do not', () => {
  const body = {
    model: 'x',
    messages: [
      { role: 'x', content: [{ type: 'image', source: { type: 'base64', media_type: 'x', data: 'x' } }] },
      { role: 'x', content: [{ type: 'document', source: { type: 'text', media_type: 'x', data: 'x' } }] },
      { role: 'x', content: [{ type: 'thinking', thinking: 'x', signature: 'x' }] },
      {
        role: 'x',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,x+/x==' } }, { text: 'x' }],
      },
    ],
    something_new: ['x'],
    metadata: { name: 'x' },
    tools: [{ type: 'tool_use', input: { type: 'x', nested: [{ id: 'x' }] } }],
  };
  const changed: string[] = [];
  mapRequestTexts(body, (text) => (changed.push(text), 'y'));
  expect(changed).toEqual(['x', 'x', 'x', 'name', 'x', 'type', 'x', 'nested', 'id', 'x']);
});

it('of a schema every text and name is read, and it stays one', () => {
  const property = { type: 'string', format: 'x', default: { id: 'x' }, maxLength: 4, examples: [4], enum: ['a'] };
  const schema = { type: 'object', properties: { x: property }, required: ['x'] };
  const mapped = { ...property, format: '<y>', default: { id: '<y>' }, examples: ['<four>'] };
  const read = { type: 'object', properties: { _y_: mapped }, required: ['_y_'] };
  const map = (text: string) => ({ x: '<y>', 4: '<four>', object: '<o>', string: '<s>' })[text] ?? text;
  for (const holder of ['parameters', 'input_schema', 'schema'])
    expect(mapRequestTexts({ tools: [{ name: 'a', [holder]: schema }] }, map)).toEqual({
      tools: [{ name: 'a', [holder]: read }],
    });
  expect(mapRequestTexts({ input_examples: [{ id: 'x' }] }, map)).toEqual({ input_examples: [{ id: '<y>' }] });
});

describe('what is taken out of a schema', () => {
  const map = (text: string) => text.replaceAll(/\w+@\w+/g, '<mail>').replaceAll(/\b4111\d{12}\b/g, '<card>');
  const left = (schema: object) => mapRequestTexts({ parameters: schema }, map);

  it('leaves each property one name, wherever it is named', () => {
    const schema = {
      required: ['a@b', 'c@d', 'e'],
      anyOf: [{ required: ['c@d'] }],
      dependentRequired: { 'a@b': ['c@d'] },
      properties: {
        'a@b': { type: 'string' },
        'c@d': { description: 'beside a@b' },
        e: { properties: {}, required: [] },
      },
    };
    expect(left(schema)).toEqual({
      parameters: {
        required: ['_mail_', '_mail__2', 'e'],
        anyOf: [{ required: ['_mail__2'] }],
        dependentRequired: { _mail_: ['_mail__2'] },
        properties: {
          _mail_: { type: 'string' },
          _mail__2: { description: 'beside <mail>' },
          e: { properties: {}, required: [] },
        },
      },
    });
  });

  it('leaves its references whole, and what may be chosen of once', () => {
    const schema = { items: { $ref: '#/$defs/a@b' }, $defs: { 'a@b': { enum: ['c@d', 'e@f', 'g'] } } };
    expect(left(schema)).toEqual({
      parameters: { items: { $ref: '#/$defs/_mail_' }, $defs: { _mail_: { enum: ['<mail>', 'g'] } } },
    });
  });

  it('are numbers, too, but for the bounds of one', () => {
    const card = 4_111_111_111_111_111;
    const bounds = { type: 'integer', minimum: -9_007_199_254_740_991, maximum: card };
    const schema = {
      properties: { default: bounds },
      default: { maxCard: card, maximum: card },
      enum: [{ minimum: card }],
    };
    expect(left(schema)).toEqual({
      parameters: {
        properties: { default: bounds },
        default: { maxCard: '<card>', maximum: '<card>' },
        enum: [{ minimum: '<card>' }],
      },
    });
    expect(mapRequestTexts({ input_examples: [{ maximum: card, type: 'a@b' }] }, map)).toEqual({
      input_examples: [{ maximum: '<card>', type: '<mail>' }],
    });
  });

  it('are no words of its format', () => {
    const schema = { type: 'object', properties: { title: { title: 'x', minLength: 1 } }, required: ['title'] };
    const masked = (text: string) => (/^(?:properties|title|minLength|required)$/.test(text) ? '<word>' : text);
    expect(mapRequestTexts({ parameters: schema }, masked)).toEqual({
      parameters: { type: 'object', properties: { _word_: { title: 'x', minLength: 1 } }, required: ['_word_'] },
    });
  });
});

/** Texts that a model reads, whatever they begin with; and what is no text in members that hold files. */
it.each<[string, unknown, string[]]>([
  ['a text', { content: 'data: x' }, ['data: x']],
  ['the text of a part', { content: [{ type: 'text', text: 'data:image/png;base64,x' }] }, ['data:image/png;base64,x']],
  ['a URL that is no Base64', { image_url: { url: 'data:text/plain,x y' } }, ['data:text/plain,x y']],
  ['text behind Base64', { image_url: 'data:image/png;base64,AAAA x y' }, ['data:image/png;base64,AAAA x y']],
  ['a file that is none', { file: { file_data: 'x y z' } }, ['x y z']],
  ['data that are none', { source: { type: 'base64', data: 'x y' } }, ['x y']],
  ['names', { messages: [{ role: 'user', name: 'x', content: 'y' }] }, ['x', 'y']],
  ['a file', { file: { file_data: 'data:application/pdf;name=x.pdf;base64,AAAA\nBBBB', filename: 'x' } }, ['x']],
  ['an image', { image_url: { url: 'data:image/svg+xml;base64,AA-_+/==' }, source: { data: 'AAAA' } }, []],
])('%s is read where it is one', (_name, body, texts) => {
  expect(textRunsOf(body).flatMap((run) => run.texts)).toEqual(texts);
});

it('parts that follow one another are one run, and each gets its own text back', () => {
  const image = { type: 'image_url', image_url: { url: 'https://x.test' } };
  const text = (value: string) => ({ type: 'text', cache_control: { type: 'ephemeral', note: 'n' }, text: value });
  const body = { messages: [{ content: [text('a'), text('b'), image, text('c')] }, { content: [text('d')] }, 'e'] };
  expect(textRunsOf(body).map((run) => run.texts)).toEqual([
    ['n'],
    ['a', 'b'],
    ['n'],
    ['https://x.test'],
    ['n'],
    ['c'],
    ['n'],
    ['d'],
    ['e'],
  ]);
  const texts = textRunsOf(body).flatMap((run) => run.texts.map((one, index) => [run.places[index], one] as const));
  const inOrder = texts.sort(([one = 0], [other = 0]) => one - other).map(([, one]) => one);
  expect(withTexts(body, inOrder)).toBe(body);
  expect(
    JSON.stringify(
      withTexts(
        body,
        inOrder.map((one) => (one === 'b' ? 'B' : one)),
      ),
    ),
  ).toBe(JSON.stringify(body).replace('"text":"b"', '"text":"B"'));
});

it('what stands for a name is one', () => {
  const body = { messages: [{ role: 'user', name: 'ada@example.com', content: 'x' }] };
  const mapped = mapRequestTexts(body, (text) => (text === 'x' ? 'x' : '[redacted:email]'));
  expect(mapped).toEqual({ messages: [{ role: 'user', name: '_redacted_email_', content: 'x' }] });
});

it('reads a data URL with a head of millions of parameters as a text', () => {
  const url = `data:image/png${';a=b'.repeat(5_000_000)};base64,AAAA`;
  const body = { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] };
  expect(textRunsOf(body).flatMap(({ texts }) => texts)).toContain(url);
});

it('reads names that no format has, wherever they stand', () => {
  const names = ['4111 1111 1111 1111', 'a@b.example', 'DE89370400440532013000', '\u00e9t\u00e9', 'x'.repeat(65)];
  const body = { model: 'm', extra_body: { deep: Object.fromEntries(names.map((name) => [name, true])), top_k: 3 } };
  const seen: string[] = [];
  const mapped = mapRequestTexts(body, (text) => {
    seen.push(text);
    return names.includes(text) ? 'away' : text;
  });
  expect(seen).toEqual(names);
  const deep = { away: true, away_2: true, away_3: true, away_4: true, away_5: true };
  expect(mapped).toEqual({ model: 'm', extra_body: { deep, top_k: 3 } });
});

it('reads no ids, which are random and may hold anything', () => {
  const tools = [{ type: 'code_interpreter', container: 'cntr_ab', vector_store_ids: ['vs_ab'] }];
  const body = { conversation: 'conv_ab', previous_response_id: 'resp_ab', container: { id: 'cntr_ab' }, tools };
  const among = { tools: [{ container: { type: 'auto', file_ids: ['file-ab'] } }] };
  expect(textRunsOf([body, among])).toEqual([]);
});

it('reads what stands in the place of an id and is none', () => {
  const texts = ['Write to Ada.', 'ada@example.com', 'x'.repeat(513)];
  const body = (id: unknown) => ({ conversation: id, messages: [{ tool_call_id: id, id }], file_ids: [id] });
  for (const text of texts)
    expect(textRunsOf(body(text)).flatMap((run) => run.texts)).toEqual([text, text, text, text]);
  expect(textRunsOf(body('functions.get_weather:0|fc_+/=~-'))).toEqual([]);
});

it('takes tokens by their numbers for no text, where a format names its members so', () => {
  const body = (name: string) => ({ logit_bias: { [name]: -100 }, extra: { 50256: 1 } });
  const read = (name: string) => textRunsOf(body(name)).flatMap((run) => run.texts);
  expect(read('50256')).toEqual(['50256']);
  expect(read('4111111111111111')).toEqual(['4111111111111111', '50256']);
});
