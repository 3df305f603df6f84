import { translationFor } from '../translations';
import { isRecord } from '../wire/json-value';
import { parseRequestJson } from '../wire/request-json';
import { toMoonshotSchema } from './moonshot-schema';
import { targetWith } from './target.fixture';

type Json = Record<string, unknown>;

const text = { type: 'string' };
const any = { type: ['string', 'number', 'boolean', 'object', 'array', 'null'] };
const object = (properties: Json, more: Json = {}): Json => ({ type: 'object', properties, ...more });
const written = (a: unknown, more: Json = {}): unknown => {
  const { properties, $defs } = toMoonshotSchema(object({ a }, more), true).schema;
  return isRecord(properties) ? { a: properties.a, ...($defs === undefined ? {} : { $defs }) } : null;
};

/** What comes of each was taken by the validator itself: https://github.com/MoonshotAI/walle */
describe("a schema in Moonshot's flavour", () => {
  it.each<[string, Json]>([
    ['typed', object({ a: text, b: { type: 'array', items: text } }, { required: ['a'], additionalProperties: false })],
    ['alternatives', object({ a: { anyOf: [text, { type: 'null' }], description: 'a' } })],
    ['a reference', object({ a: { $ref: '#/$defs/T', description: 'a' } }, { $defs: { T: text } })],
    ['what it does not read', object({ a: { type: 'integer', exclusiveMinimum: 0, format: 'int32' } })],
  ])('stays the very same: %s', (_, schema) => {
    expect(toMoonshotSchema(schema, true)).toEqual({ schema, told: null, reworded: [] });
    expect(toMoonshotSchema(schema, true).schema).toBe(schema);
  });

  it.each<[string, unknown, unknown]>([
    ['anything', { description: 'a' }, { ...any, description: 'a' }],
    ['a schema that is true', true, any],
    ['values', { enum: ['x', null] }, { enum: ['x', null], type: ['string', 'null'] }],
    ['a value', { const: true }, { type: 'boolean', enum: [true] }],
    [
      'a null that the type leaves out',
      { ...text, enum: ['x', null] },
      { type: ['string', 'null'], enum: ['x', null] },
    ],
    ['a bound', { minimum: 2 }, { type: 'number', minimum: 2 }],
    ['a list', { items: { enum: [1, 2.5] } }, { type: 'array', items: { type: 'number', enum: [1, 2.5] } }],
  ])('names types: %s', (_, asked, expected) => {
    expect(written(asked)).toEqual({ a: expected });
  });

  it('has types in alternatives, and what holds for all of them beside words', () => {
    expect(written({ ...text, anyOf: [{ minLength: 1 }, { enum: ['x'] }], description: 'a' })).toEqual({
      a: {
        anyOf: [
          { ...text, minLength: 1 },
          { ...text, enum: ['x'] },
        ],
        description: 'a',
      },
    });
    expect(written({ oneOf: [text, { type: 'null' }] })).toEqual({ a: { anyOf: [text, { type: 'null' }] } });
    const one = toMoonshotSchema(object({ a: object({ x: text }, { anyOf: [{ required: ['x'] }] }) }), true);
    expect(one.schema.properties).toEqual({ a: object({ x: text }, { description: '{anyOf: [{"required":["x"]}]}' }) });
    expect(one.reworded).toEqual(['anyOf']);
  });

  it.each<[string, Json, Json]>([
    [
      'notes of every kind stay beside alternatives',
      { anyOf: [{ ...text, default: 'x' }, { type: 'null' }], default: null, examples: ['y'], 'x-order': 1 },
      { anyOf: [text, { type: 'null' }], default: null, examples: ['y'], 'x-order': 1 },
    ],
    [
      'what limits a text beside alternatives keeps it a text',
      { anyOf: [{ pattern: '^a' }, { pattern: '^b' }], maxLength: 3 },
      { ...text, maxLength: 3, description: '{anyOf: [{"pattern":"^a"},{"pattern":"^b"}]}' },
    ],
    [
      'of two kinds of alternatives one is told',
      { anyOf: [text, { type: 'null' }], oneOf: [{ const: 'x' }] },
      { anyOf: [text, { type: 'null' }], description: '{oneOf: [{"const":"x"}]}' },
    ],
    [
      'a part is told that would take properties from what stands beside it',
      object({ x: text }, { allOf: [object({ y: text })] }),
      object({ x: text }, { description: '{allOf: [{"type":"object","properties":{"y":{"type":"string"}}}]}' }),
    ],
    ['what is required is a list', { ...text, required: true }, text],
  ])('says all of it: %s', (_, asked, expected) => {
    expect(written(asked)).toEqual({ a: expected });
  });

  // Of Codex's own: https://github.com/lidge-jun/opencodex/issues/2673
  it('tells what is demanded beside a reference', () => {
    const $defs = { T: { ...text, description: 'theirs' } };
    const asked = { ...text, minLength: 1, format: 'uuid', $ref: '#/$defs/T' };
    expect(toMoonshotSchema(object({ a: asked }, { $defs }), true)).toMatchObject({
      schema: { properties: { a: { anyOf: [{ $ref: '#/$defs/T' }], description: '{minLength: 1, format: "uuid"}' } } },
      reworded: ['minLength', 'format'],
    });
  });

  // https://github.com/MoonshotAI/kimi-code/pull/2662
  it('names the type of a tool where it stood behind a reference', () => {
    const Node = object({ next: { $ref: '#/definitions/Node' } });
    expect(toMoonshotSchema({ $ref: '#/definitions/Node', definitions: { Node } }, true).schema).toEqual({
      ...object({ next: { $ref: '#/$defs/Node' } }),
      $defs: { Node: object({ next: { $ref: '#/$defs/Node' } }) },
    });
    expect(toMoonshotSchema({ $ref: '#' }, true).schema).toEqual({ type: 'object' });
    expect(toMoonshotSchema({ type: ['object', 'null'] }, true).schema).toEqual({ type: 'object' });
  });

  it('finds what a reference names as a part of an address', () => {
    const definitions = { 'Record<string>': text, '100%': { type: 'number' } };
    const a = { anyOf: [{ $ref: '#/definitions/Record%3Cstring%3E' }, { $ref: '#/definitions/100%' }] };
    expect(written(a, { definitions })).toEqual({
      a: { anyOf: [{ $ref: '#/$defs/Record_string_' }, { $ref: '#/$defs/100_' }] },
      $defs: { Record_string_: text, '100_': { type: 'number' } },
    });
  });

  it('is not much longer than what was asked', () => {
    const long = { ...text, description: 'x'.repeat(50_000) };
    const list = {
      anyOf: Array.from({ length: 200 }, (_, at) => ({ $ref: `#/properties/b/anyOf/${'0'.repeat(at)}0` })),
    };
    const same = object({ a: list, b: { anyOf: [long] } });
    expect(JSON.stringify(toMoonshotSchema(same, true).schema).length).toBeLessThan(200_000);
    let nested: Json = long;
    const deep = Array.from({ length: 40 }, (_, at) => ({ $ref: `#/properties/b${'/properties/c'.repeat(at)}` }));
    for (let at = 0; at < 40; at++) nested = object({ c: nested });
    const { schema, reworded } = toMoonshotSchema(object({ a: { anyOf: deep }, b: nested }), true);
    expect(JSON.stringify(schema).length).toBeLessThan(300_000);
    expect(reworded).toEqual(['$ref']);
  });

  it('has definitions of any number whose names are alike', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [String.fromCharCode(0x4e00 + at), { ...text }]),
    );
    const { schema } = toMoonshotSchema(object({ a: { $ref: '#/$defs/\u4e01' } }, { $defs }), true);
    expect(Object.keys(schema.$defs ?? {})).toHaveLength(20_000);
    expect(JSON.stringify(schema).length).toBeLessThan(2_000_000);
  });

  it('has its definitions at the top, and nothing beside a reference that they say', () => {
    const T = { ...text, description: 'theirs' };
    const asked = { $ref: '#/definitions/T', description: 'mine', title: 'A' };
    expect(written(asked, { definitions: { T } })).toEqual({
      a: { anyOf: [{ $ref: '#/$defs/T' }], description: 'mine', title: 'A' },
      $defs: { T },
    });
    expect(written({ allOf: [{ $ref: '#/$defs/T' }], title: 'A' }, { $defs: { T } })).toEqual({
      a: { $ref: '#/$defs/T', title: 'A' },
      $defs: { T },
    });
    const lists = object({ a: object({ q: text }), b: { type: 'array', items: { $ref: '#/properties/a' } } });
    expect(toMoonshotSchema(lists, true).schema).toMatchObject({
      properties: { b: { items: { $ref: '#/$defs/properties_a' } } },
      $defs: { properties_a: object({ q: text }) },
    });
    expect(toMoonshotSchema(object({ a: { $ref: '#/nowhere', description: 'a' } }), true)).toMatchObject({
      schema: { properties: { a: { ...any, description: 'a' } } },
      reworded: ['$ref'],
    });
  });

  it('describes what it requires, and has one schema for all of a list', () => {
    expect(toMoonshotSchema(object({}, { required: ['x'] }), true).schema).toEqual(
      object({ x: any }, { required: ['x'] }),
    );
    expect(written({ type: 'array', items: [text, { type: 'null' }] })).toEqual({
      a: { type: 'array', items: { anyOf: [text, { type: 'null' }] } },
    });
  });

  it('tells mixed values and several parts in words', () => {
    const told = toMoonshotSchema(object({ a: { enum: [1, 'x'] }, b: { allOf: [text, { minLength: 1 }] } }), true);
    expect(told.reworded).toEqual(['enum', 'allOf']);
    expect(JSON.stringify(told.schema)).toContain('enum: [1,');
  });

  it.each([{}, { type: 'object' }, { $schema: 'http://json-schema.org/draft-07/schema#' }])(
    'of a tool is one of an object: %j',
    (asked) => expect(toMoonshotSchema(asked, true).schema).toEqual({ type: 'object' }),
  );
});

describe.each(['openai-chat', 'anthropic-messages', 'openai-responses'] as const)('a request of %s', (surface) => {
  const parameters = { type: 'object', anyOf: [object({ a: {} }, { required: ['a'] }), object({ b: text })] };
  const [name, description] = ['look_up', 'Looks it up.'];
  const asked = {
    'openai-chat': {
      messages: [{ role: 'user', content: 'hi' }],
      tools: [{ type: 'function', function: { name, description, parameters } }],
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: object({ a: {} }) } },
    },
    'anthropic-messages': {
      max_tokens: 9,
      messages: [{ role: 'user', content: 'hi' }],
      tools: [{ name, description, input_schema: parameters }],
      output_config: { format: { type: 'json_schema', schema: object({ a: {} }) } },
    },
    'openai-responses': {
      input: 'hi',
      tools: [{ type: 'function', name, description, parameters }],
      text: { format: { type: 'json_schema', name: 'n', schema: object({ a: {} }) } },
    },
  }[surface];
  const sent = (moonshotSchemas: string | null) => {
    const body = Buffer.from(JSON.stringify({ model: 'm', ...asked }));
    const target = targetWith(false, { moonshotSchemas });
    const request = translationFor(surface, 'openai-chat')?.prepare(body, target, { includeUsage: false }).request;
    const { tools, response_format: format } = parseRequestJson(Buffer.concat(request?.body ?? [])) as Json;
    return { tools, format, warnings: request?.warnings ?? [] };
  };

  it('has its schemas in it where the model wants that, and is told what became words', () => {
    const { tools, format, warnings } = sent('.');
    expect(tools).toMatchObject([{ function: { parameters: { type: 'object', properties: { a: any, b: text } } } }]);
    expect(JSON.stringify(tools)).toContain('The input must match this schema, too');
    expect(format).toMatchObject({ json_schema: { schema: object({ a: any }) } });
    expect(warnings.join()).toContain('of the schema of look_up became words');
  });

  it('keeps its own elsewhere', () => {
    const { tools, warnings } = sent(null);
    expect(tools).toMatchObject([{ function: { parameters: { anyOf: parameters.anyOf } } }]);
    expect(warnings).toEqual([]);
  });
});
