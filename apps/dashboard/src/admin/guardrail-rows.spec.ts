import type { GuardrailCount, ListedGuardrail } from '../api/guardrails';
import { guardrailRows } from './guardrail-rows';

const cards: ListedGuardrail = {
  ...{ id: 'cards', kind: 'pii', appliesTo: 'both', action: 'block', keys: [], models: [], looksFor: ['credit-card'] },
};
const found = (changes: Partial<GuardrailCount>): GuardrailCount => ({
  ...{ guardrail: 'cards', side: 'input', action: 'block', count: 2, lastHour: 1 },
  ...changes,
});

it('tells what a guardrail did by what it looked through, and apart what it only flagged before', () => {
  const counts = [found({}), found({ action: 'flag', count: 3, lastHour: 5 }), found({ side: 'output', count: 7 })];
  expect(guardrailRows([cards], counts)).toEqual([
    { ...cards, isGone: false, didSoBefore: false, input: 2, output: 7, lastHour: 1 },
    expect.objectContaining({
      id: 'cards',
      action: 'flag',
      isGone: true,
      didSoBefore: true,
      appliesTo: 'input',
      input: 3,
      output: 0,
      lastHour: 5,
    }),
  ]);
});

it('tells none from not known', () => {
  expect(guardrailRows([cards], [])).toMatchObject([{ input: 0, output: 0, lastHour: null }]);
  expect(guardrailRows([cards], null)).toMatchObject([{ input: null, output: null, lastHour: null }]);
});

it('shows what is in force no more behind the others', () => {
  const counts = [
    found({ guardrail: 'former', action: 'redact', side: 'output' }),
    found({ guardrail: 'former', action: 'redact', count: 1 }),
  ];
  expect(guardrailRows([cards], counts)).toMatchObject([
    { id: 'cards', isGone: false },
    { id: 'former', isGone: true, didSoBefore: false, action: 'redact', appliesTo: 'both', input: 1, output: 2 },
  ]);
});
