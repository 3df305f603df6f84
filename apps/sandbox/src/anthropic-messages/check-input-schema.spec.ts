import { readConverse } from '../bedrock-converse/read-converse';
import type { Addressed } from '../speech/simulated-dialect';
import { readMessages } from './read-messages';

type Json = Record<string, unknown>;

const addressed: Addressed = {
  ...{ path: '/', model: null, stream: null, query: '', provider: '' },
  ...{ version: '2023-06-01', betas: '' },
};
const user = { role: 'user', content: 'hi' };

const ofProperty = (property: Json): Json => ({ type: 'object', properties: { p: property } });

// https://github.com/anthropics/claude-code/issues/44788 https://github.com/code-yeongyu/senpi/issues/1947
describe('the schema of a tool', () => {
  const toMessages = (schema: Json) =>
    readMessages(
      { model: 'claude-opus-4-6', max_tokens: 9, messages: [user], tools: [{ name: 'f', input_schema: schema }] },
      addressed,
    );
  const toConverse = (model: string) => (json: Json) =>
    readConverse(
      {
        messages: [{ role: 'user', content: [{ text: 'hi' }] }],
        toolConfig: { tools: [{ toolSpec: { name: 'f', inputSchema: { json } } }] },
      },
      { ...addressed, model },
    );
  const toClaude = toConverse('anthropic.claude-sonnet-4-5');

  it.each<[string, Json, string]>([
    ['a list of items', ofProperty({ type: 'array', items: [{ type: 'number' }] }), 'draft 2020-12'],
    ['a bound of draft 4', ofProperty({ minimum: 0, exclusiveMinimum: true }), 'draft 2020-12'],
    ['a property that calls itself required', ofProperty({ type: 'string', required: false }), 'draft 2020-12'],
    ['a property named by signs', { type: 'object', properties: { $top: { type: 'integer' } } }, 'Property keys'],
    ['a property of 65 letters', { type: 'object', properties: { ['k'.repeat(65)]: {} } }, 'Property keys'],
    ['a union at its top', { type: 'object', anyOf: [{ required: ['a'] }] }, 'at the top level'],
  ])('has none of %s for Claude', (_, schema, words) => {
    expect(() => toMessages(schema)).toThrow(words);
    expect(() => toClaude(schema)).toThrow(`The model returned the following errors: tools.0.custom.input_schema`);
    expect(() => toConverse('amazon.nova-2-lite-v1:0')(schema)).not.toThrow();
  });

  it('may be of 2020-12', () => {
    const today = ofProperty({
      type: 'array',
      prefixItems: [{ exclusiveMinimum: 0 }],
      items: false,
      default: { items: [] },
    });
    expect(() => toMessages(today)).not.toThrow();
    expect(() => toClaude(today)).not.toThrow();
  });
});
