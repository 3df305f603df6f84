import { exampleOf } from './example-of';

it('fills nested schemas, references and choices', () => {
  const schema = {
    type: 'object',
    properties: {
      list: { type: 'array', items: { type: 'number' }, minItems: 2 },
      on: { type: ['boolean', 'null'] },
      kind: { const: 'k' },
      either: { anyOf: [{ $ref: '#/$defs/size' }, { type: 'null' }] },
      short: { type: 'string', maxLength: 3 },
    },
    $defs: { size: { type: 'integer', minimum: 10 } },
  };
  expect(exampleOf(schema)).toEqual({ list: [7, 7], on: true, kind: 'k', either: 10, short: 'exa' });
});

it('reads the words of OpenAPI, too', () => {
  expect(exampleOf({ type: 'OBJECT', properties: { n: { type: 'INTEGER', maximum: 3 } } })).toEqual({ n: 3 });
});

it('stops at schemas that hold themselves', () => {
  const recursive: Record<string, unknown> = { type: 'object' };
  recursive.properties = { child: recursive };
  expect(() => JSON.stringify(exampleOf(recursive))).not.toThrow();
  expect(() => exampleOf({ $ref: '#' })).not.toThrow();
});
