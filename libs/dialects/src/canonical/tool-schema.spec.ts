import { toToolSchema } from './tool-schema';

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
});
