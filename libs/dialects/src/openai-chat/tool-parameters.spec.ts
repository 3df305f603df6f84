import { targetWith } from './target.fixture';
import { strictFor } from './tool-parameters';

const properties = { what: { type: 'string' }, why: { type: 'string' } };
const closed = { type: 'object', properties, required: ['what', 'why'], additionalProperties: false };
const partly = { ...closed, required: ['what'] };

function sent(schema: Record<string, unknown>, closedSchemas: boolean, asked = true) {
  const warnings: string[] = [];
  const site = { surface: 'anthropic-messages' as const, target: targetWith(false, { closedSchemas }), warnings };
  return { strict: strictFor(asked, 'the answer', schema, site), told: warnings.length };
}

it('keeps a schema of messages strict, unless the provider has it closed and it is open', () => {
  expect(sent(partly, false)).toEqual({ strict: true, told: 0 });
  expect(sent(partly, true)).toEqual({ strict: false, told: 1 });
  expect(sent({ ...closed, additionalProperties: true }, true)).toEqual({ strict: false, told: 1 });
  expect(sent({ ...closed, properties: { ...properties, why: partly } }, true)).toEqual({ strict: false, told: 1 });
  expect(sent(closed, true)).toEqual({ strict: true, told: 0 });
  expect(sent(partly, true, false)).toEqual({ strict: false, told: 0 });
});

it('sends what callers of chat completions ask for', () => {
  const site = { surface: 'openai-chat' as const, target: targetWith(false, { closedSchemas: true }), warnings: [] };
  expect(strictFor(true, 'the answer', partly, site)).toBe(true);
});
