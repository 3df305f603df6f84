import { answerCost } from './answer-cost';
import type { Measure } from './turns';

const measure: Measure = {
  ...{ firstTokenMs: 1, totalMs: 2, requestId: null, simulated: false },
  ...{ inputTokens: 1_000, cachedTokens: 400, outputTokens: 100 },
  endedAt: Date.parse('2026-11-24T01:00:00.000Z'),
};
const pricing = {
  ...{ input: '0.66', output: '1.98', cachedInput: '0.022' },
  hours: [{ days: [1, 2, 3, 4, 5], from: '01:00', to: '04:00', except: [], factor: '2' }],
};

it.each([
  ['at the hour at which it ended', measure, '1205600'],
  ['at another hour', { ...measure, endedAt: Date.parse('2026-11-24T00:59:59.999Z') }, '602800'],
  ['while it is under way', { ...measure, endedAt: null }, '602800'],
  ['of which no tokens are told', { ...measure, outputTokens: null }, null],
])('an answer costs what the price list says %s', (_, told, nanos) => {
  // 600 * 660 + 400 * 22 + 100 * 1980 nano-dollars
  expect(answerCost(told, pricing)).toBe(nanos);
});
