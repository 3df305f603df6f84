import { toGeminiSchema } from './to-schema';

const $defs = { x: { type: 'string' } };

describe('a schema for Gemini', () => {
  it('keeps what Gemini documents, untouched and in order', () => {
    const schema = {
      type: 'object',
      title: 'T',
      properties: {
        pattern: { type: ['string', 'null'], format: 'date-time', enum: ['a', 'b'] },
        list: {
          type: 'array',
          items: { $ref: '#/$defs/x' },
          minItems: 1,
          maxItems: 2,
          prefixItems: [{ type: 'number' }],
        },
        any: { anyOf: [{ type: 'integer', minimum: 1, maximum: 2 }, { type: 'null' }] },
      },
      required: ['pattern'],
      additionalProperties: false,
      $defs: { x: { type: 'string', description: 'd' } },
    };
    const { schema: written, reworded } = toGeminiSchema(schema);
    expect(JSON.stringify(written)).toBe(JSON.stringify(schema));
    expect(reworded).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['const', { const: 'a' }, { enum: ['a'] }],
    ['definitions', { definitions: { x: { $schema: 's', type: 'string' } } }, { $defs: { x: { type: 'string' } } }],
    ['a reference', { $ref: '#/definitions/x', $comment: 'c', definitions: $defs }, { $ref: '#/$defs/x', $defs }],
    [
      'a described reference',
      { $ref: '#/$defs/x', description: 'd', $defs },
      { anyOf: [{ $ref: '#/$defs/x' }], description: 'd', $defs },
    ],
    [
      'a reference with a default',
      { $ref: '#/$defs/x', default: 1, $defs },
      { anyOf: [{ $ref: '#/$defs/x' }], description: '{default: 1}', $defs },
    ],
    ['allOf with one reference', { allOf: [{ $ref: '#/$defs/x' }], $defs }, { anyOf: [{ $ref: '#/$defs/x' }], $defs }],
    [
      'allOf of plain objects',
      {
        type: 'object',
        allOf: [
          { properties: { a: {} }, required: ['a'] },
          { properties: { b: {} }, required: ['a', 'b'] },
        ],
      },
      { type: 'object', properties: { a: {}, b: {} }, required: ['a', 'b'] },
    ],
    ['a default', { type: 'integer', default: 3 }, { type: 'integer', description: '{default: 3}' }],
    ['the schema that allows all', { items: true }, { items: true }],
  ])('says %s in words of Gemini, with the same meaning', (_, schema, written) => {
    expect(toGeminiSchema(schema)).toEqual({ schema: written, reworded: [] });
  });

  // https://github.com/DEEIX-AI/DEEIX-Chat/issues/546
  it('has references to definitions alone: parts that others refer to become some, and what is nowhere is left out', () => {
    const headers = { type: 'object', properties: { next: { $ref: '#/properties/headers' } } };
    const list = { type: 'array', items: { $ref: '#/properties/headers' } };
    const properties = { headers, list, lost: { $ref: '#/$defs/gone', description: 'd' } };
    const next = { $ref: '#/$defs/properties_headers' };
    const written = { type: 'object', properties: { next } };
    expect(toGeminiSchema({ type: 'object', properties })).toEqual({
      schema: {
        type: 'object',
        properties: { headers: written, list: { type: 'array', items: next }, lost: { description: 'd' } },
        $defs: { properties_headers: written },
      },
      reworded: ['$ref'],
    });
  });

  it('has a name for each part that becomes a definition, which no other one has', () => {
    const schema = {
      properties: {
        a: { type: 'object', properties: { b: { type: 'string' } } },
        a_properties_b: { type: 'number' },
        text: { $ref: '#/properties/a/properties/b' },
        number: { $ref: '#/properties/a_properties_b' },
      },
      $defs: { properties_a_properties_b: { type: 'boolean' } },
    };
    const { properties, $defs } = toGeminiSchema(schema).schema as Record<string, Record<string, { $ref?: string }>>;
    const led = ({ $ref = '' }: { $ref?: string } = {}) => $defs?.[$ref.slice('#/$defs/'.length)];
    expect([led(properties?.text), led(properties?.number)]).toEqual([{ type: 'string' }, { type: 'number' }]);
    expect($defs).toMatchObject(schema.$defs);
  });

  it('tells in words what Gemini has no keyword for, and names it', () => {
    const schema = { type: 'string', description: 'A name.', pattern: '^a', format: 'email', enum: [null] };
    expect(toGeminiSchema({ properties: { a: schema } })).toEqual({
      schema: {
        properties: { a: { type: 'string', description: 'A name.\n\n{pattern: "^a", format: "email", enum: [null]}' } },
      },
      reworded: ['pattern', 'format', 'enum'],
    });
  });
});
