import { demandMoonshots } from './moonshot-flavour';

const text = { type: 'string' };

// By the validator of https://github.com/MoonshotAI/walle itself, but for those without a type.
describe('schemas as Moonshot wants them', () => {
  it.each<[string, Record<string, unknown>]>([
    ['', {}],
    ['typed', { type: 'object', properties: { a: text }, required: ['a'] }],
    ['alternatives', { type: 'object', properties: { a: { anyOf: [text, { type: 'null' }], description: 'a' } } }],
    ['a reference', { type: 'object', properties: { a: { $ref: '#/$defs/T' } }, $defs: { T: text } }],
    ['itself', { type: 'object', properties: { a: { $ref: '#' } } }],
    ['values', { type: 'object', properties: { a: { type: ['string', 'null'], enum: ['a', null] } } }],
  ])('are taken: %s', (_, schema) => {
    expect(() => demandMoonshots(schema, 'x')).not.toThrow();
  });

  it.each<[string, Record<string, unknown>]>([
    ["At path 'root': when using anyOf, type should", { type: 'object', anyOf: [{ properties: {} }] }],
    ["At path 'properties.a': type is not defined", { type: 'object', properties: { a: { description: 'any' } } }],
    ["At path 'properties.a.anyOf': type is not", { type: 'object', properties: { a: { anyOf: [text, {}] } } }],
    ['references must start with #/$defs/', { type: 'object', properties: { a: { $ref: '#/definitions/T' } } }],
    ['invalid $ref path: #/$defs/T', { type: 'object', properties: { a: { $ref: '#/$defs/T' } } }],
    ["required property 'a' is not defined", { type: 'object', required: ['a'] }],
    ['items must be an object', { type: 'object', properties: { a: { type: 'array', items: [text] } } }],
    ['enum value (null) does not match', { type: 'object', properties: { a: { type: 'string', enum: [null] } } }],
    ['only 2 types are supported', { type: 'object', properties: { a: { type: ['string', 'number'], enum: ['a'] } } }],
    ["property schema for 'a' must be", { type: 'object', properties: { a: true } }],
    ['keywords (properties)', { anyOf: [{ type: 'object', properties: { a: text } }], properties: { b: text } }],
  ])('are refused: %s', (words, schema) => {
    expect(() => demandMoonshots(schema, 'x')).toThrow(words);
  });
});
