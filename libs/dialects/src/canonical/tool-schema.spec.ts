import { toldBeside, toToolSchema } from './tool-schema';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe('the schema of a tool for Claude', () => {
  it('is one of an object, as it came where it is one of today', () => {
    const schema = object(
      { a: { type: 'array', items: { type: 'number', exclusiveMinimum: 0 } } },
      { required: ['a'] },
    );
    expect(toToolSchema(schema)).toEqual({ schema, told: null });
    expect(toToolSchema()).toEqual({ schema: object({}), told: null });
    expect(toToolSchema({ type: 'string' }).schema).toEqual({ type: 'object' });
  });

  // https://github.com/AlexGladkov/claude-in-mobile/issues/57 https://github.com/Dokploy/mcp/issues/74
  // https://github.com/MarkusPfundstein/mcp-gsuite/pull/34
  it.each([
    [
      { type: 'array', items: [{ type: 'number' }, { type: 'string' }], additionalItems: false },
      { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], items: false },
    ],
    [
      { type: 'integer', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      { type: 'integer', exclusiveMinimum: 0, maximum: 9 },
    ],
    [{ type: 'string', required: false }, { type: 'string' }],
    [{ type: 'object', required: null }, { type: 'object' }],
    [{ type: 'object', required: 'a' }, { type: 'object' }],
    [{ type: 'array', items: [] }, { type: 'array' }],
    [
      { type: 'array', items: [], additionalItems: { items: [{ type: 'string' }] } },
      { type: 'array', items: { prefixItems: [{ type: 'string' }] } },
    ],
    [
      { dependencies: { a: ['b'], c: { items: [{}] } }, unevaluatedItems: { items: [{}] } },
      { dependencies: { a: ['b'], c: { prefixItems: [{}] } }, unevaluatedItems: { prefixItems: [{}] } },
    ],
    [
      { anyOf: [{ items: [{ maximum: 1, exclusiveMaximum: true }] }] },
      { anyOf: [{ prefixItems: [{ exclusiveMaximum: 1 }] }] },
    ],
    [
      { const: { items: [1] }, default: { items: [2] } },
      { const: { items: [1] }, default: { items: [2] } },
    ],
  ])('says what older drafts say in the words of today: %j', (asked, told) => {
    const asSchema = (property: object) => object({ p: property }, { $defs: { d: property } });
    expect(toToolSchema({ $schema: 'http://json-schema.org/draft-04/schema#', ...asSchema(asked) }).schema).toEqual(
      asSchema(told),
    );
  });

  it('names the properties that called themselves required', () => {
    const asked = object({ a: { type: 'string', required: true }, b: { type: 'string' } });
    expect(toToolSchema(asked).schema).toEqual(
      object({ a: { type: 'string' }, b: { type: 'string' } }, { required: ['a'] }),
    );
  });

  it('has no unions at its top: their properties are its own, and what they demand is told', () => {
    const [byId, byName] = [
      object({ id: { type: 'number' } }, { required: ['id'] }),
      object({ name: { type: 'string' } }),
    ];
    const asked = { ...object({ depth: { type: 'number' } }), oneOf: [byId, byName], allOf: [{ required: ['depth'] }] };
    const { schema, told } = toToolSchema(asked);
    expect(schema).toEqual(
      object({ id: { type: 'number' }, name: { type: 'string' }, depth: { type: 'number' } }, { required: ['depth'] }),
    );
    expect(told).toContain(JSON.stringify({ allOf: asked.allOf, oneOf: asked.oneOf }));
  });

  // As zod's discriminatedUnion writes it.
  it('has each form of a property that differs among alternatives, and what all of them require', () => {
    const of = (kind: string, more: object) =>
      object({ kind: { type: 'string', const: kind }, ...more }, { required: ['kind', ...Object.keys(more)] });
    const asked = { oneOf: [of('text', { text: { type: 'string' } }), of('size', { size: { type: 'number' } })] };
    expect(toToolSchema(asked).schema).toEqual(
      object(
        {
          kind: {
            anyOf: [
              { type: 'string', const: 'text' },
              { type: 'string', const: 'size' },
            ],
          },
          text: { type: 'string' },
          size: { type: 'number' },
        },
        { required: ['kind'] },
      ),
    );
    const [first, second] = asked.oneOf;
    const $defs = { 'a/b': first, c: { $ref: '#/$defs/d' }, d: { allOf: [second] } };
    const referring = { $defs, anyOf: [{ $ref: '#/$defs/a~1b' }, { $ref: '#/$defs/c' }] };
    expect(toToolSchema(referring).schema).toEqual({ ...toToolSchema(asked).schema, $defs });
  });

  it('comes to an end where alternatives refer to themselves', () => {
    const $defs = { loop: { anyOf: [{ $ref: '#/$defs/loop' }, object({ a: {} }, { required: ['a'] })] } };
    expect(toToolSchema({ $defs, oneOf: [{ $ref: '#/$defs/loop' }] }).schema).toEqual(object({ a: {} }, { $defs }));
  });

  it('makes nothing impossible by what is closed', () => {
    const closed = { additionalProperties: false };
    const named = { ...object({ a: {} }), anyOf: [{ required: ['a', 'b'] }, { required: ['b'] }], ...closed };
    expect(toToolSchema(named).schema).toEqual(object({ a: {}, b: {} }, { required: ['b'], ...closed }));
    for (const option of [true, { $ref: 'https://example.com/s' }, { patternProperties: { '^x': {} } }])
      expect(toToolSchema({ anyOf: [object({ a: {} }), option], ...closed }).schema).toEqual(object({ a: {} }));
  });

  // As zod-to-json-schema refers to what occurs a second time.
  it('refers to what it holds where that now stands', () => {
    const [text, list] = [
      { type: 'string', minLength: 1 },
      { items: [{ minimum: 0 }], additionalItems: { maximum: 9 } },
    ];
    const asked = {
      ...object({ list, first: { $ref: '#/properties/list/items/0' } }),
      ...{ $defs: { rest: { $ref: '#/properties/list/additionalItems' } } },
      anyOf: [object({ a: text }), object({ b: { $ref: '#/anyOf/0/properties/a' } })],
    };
    const { schema, told } = toToolSchema(asked);
    const b = { $ref: '#/$defs/top-anyOf/anyOf/0/properties/a' };
    const anyOf = [object({ a: text }), object({ b })];
    expect(schema).toEqual(
      object(
        {
          list: { prefixItems: [{ minimum: 0 }], items: { maximum: 9 } },
          first: { $ref: '#/properties/list/prefixItems/0' },
          a: text,
          b,
        },
        { $defs: { rest: { $ref: '#/properties/list/items' }, 'top-anyOf': { anyOf } } },
      ),
    );
    expect(told).toContain(JSON.stringify({ anyOf }));
  });

  it.each([
    ['properties', (names: string[]) => ({ properties: Object.fromEntries(names.map((name) => [name, {}])) })],
    ['names', (names: string[]) => ({ required: names })],
  ])('goes through no more %s than it may, however often unions refer to them', (_, holding) => {
    const many = holding(Array.from({ length: 4_000 }, (_each, number) => `p${number}`));
    for (const union of ['anyOf', 'allOf']) {
      const asked = { $defs: { many }, [union]: Array.from({ length: 4_000 }, () => ({ $ref: '#/$defs/many' })) };
      const { schema, told } = toToolSchema({ ...asked, properties: { own: {} }, additionalProperties: false });
      expect(schema).toEqual({ $defs: { many }, type: 'object', properties: { own: {} } });
      expect(told).toContain('#/$defs/many');
    }
  });

  it('demands nothing in a closed object that it does not describe', () => {
    const anyOf = [{ required: ['b'] }, { required: ['b', 'a'] }];
    const { schema } = toToolSchema({ unevaluatedProperties: false, anyOf });
    expect(schema).toEqual(object({ b: {} }, { required: ['b'], unevaluatedProperties: false }));
  });

  it('is told behind a description, or alone', () => {
    expect(toldBeside('Looks up.', 'told')).toBe('Looks up.\n\ntold');
    expect([toldBeside('', 'told'), toldBeside(undefined, 'told')]).toEqual(['told', 'told']);
    expect([toldBeside('', null), toldBeside('a', null), toldBeside(undefined, null)]).toEqual(['', 'a', undefined]);
  });
});
