import { guardrail, type Guardrail } from '@tollgate/contracts/catalog';
import { tryGuardrails } from './guardrail-routes';

const rule = (changes: object): Guardrail =>
  guardrail.parse({ kind: 'regex', appliesTo: 'both', action: 'flag', ...changes });
const secret = rule({ id: 'secret', patterns: ['hush'], action: 'block' });
const people = rule({ id: 'people', kind: 'pii', action: 'redact' });
const odd = rule({ id: 'odd', patterns: ['odd'], appliesTo: 'output' });

describe.each(['input', 'output'] as const)('a text of %s', (side) => {
  it('goes on as it is, where nothing is found', () => {
    expect(tryGuardrails([secret, people], { text: 'Good day.', side })).toEqual({
      ...{ holding: 2, findings: [], blockedBy: null, goesOn: 'Good day.' },
    });
    expect(tryGuardrails([], { text: 'hush', side })).toMatchObject({ holding: 0, goesOn: 'hush' });
  });

  it('goes on without what is taken out, in whatever writing', () => {
    const text = 'Write to \u0430da@example.com.';
    expect(tryGuardrails([people], { text, side })).toMatchObject({
      findings: [{ guardrail: 'people', action: 'redact' }],
      goesOn: 'Write to [redacted:email].',
    });
  });

  it('that is blocked tells by what, and what else would be found', () => {
    expect(tryGuardrails([secret, people], { text: 'hush, ada@example.com', side })).toEqual({
      holding: 2,
      findings: [
        { guardrail: 'secret', action: 'block' },
        { guardrail: 'people', action: 'redact' },
      ],
      blockedBy: 'secret',
      goesOn: null,
    });
  });
});

it('is looked through by the guardrails of its side, model and key; of any where none is named', () => {
  const rules = [odd, rule({ id: 'ours', patterns: ['odd'], models: ['openai/*'], keys: ['key-1'] })];
  const found = (tried: object) =>
    tryGuardrails(rules, { text: 'odd', side: 'output', ...tried }).findings.map(({ guardrail: id }) => id);
  expect(found({})).toEqual(['odd', 'ours']);
  expect(found({ side: 'input' })).toEqual(['ours']);
  expect(found({ model: 'openai/gpt-6' })).toEqual(['odd', 'ours']);
  expect(found({ model: 'home/tiny' })).toEqual(['odd']);
  expect(found({ model: 'openai/gpt-6', keyId: 'key-2' })).toEqual(['odd']);
});
