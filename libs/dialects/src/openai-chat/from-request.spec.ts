import { fromRequest } from './from-request';

const read = (members: Record<string, unknown>) =>
  fromRequest({ model: 'acme/large', messages: [{ role: 'user', content: 'hi' }], ...members });

it.each([
  [{ reasoning_effort: 'none' }, { effort: 'none', off: true }],
  [{ reasoning_effort: 'xhigh' }, { effort: 'xhigh' }],
  [{ thinking: { type: 'enabled', budget_tokens: 4_096 } }, { budgetTokens: 4_096 }],
  [{ thinking: { type: 'enabled' } }, { adaptive: true }],
  [{ thinking: { type: 'adaptive' } }, { adaptive: true }],
  [{ thinking: { type: 'disabled' } }, { off: true }],
  [
    { thinking: { type: 'enabled' }, reasoning_effort: 'high' },
    { adaptive: true, effort: 'high' },
  ],
  [{ reasoning: { effort: 'low' } }, { effort: 'low' }],
  [{ reasoning: { effort: 'none' } }, { effort: 'none', off: true }],
  [{ reasoning: { max_tokens: 2_000 } }, { budgetTokens: 2_000 }],
  [{ reasoning: { enabled: true } }, { adaptive: true }],
  [{ reasoning: { enabled: false } }, { off: true }],
  [{ reasoning: { effort: 'low', summary: 'auto' } }, { effort: 'low', summary: 'auto' }],
  [{ reasoning: { summary: 'detailed' } }, { summary: 'detailed' }],
  [{ thinking: null, reasoning: null, reasoning_effort: null }, undefined],
])('reads of %j how much the model is to think', (members, reasoning) => {
  expect(read(members)).toMatchObject({ unread: [] });
  expect(read(members).reasoning).toEqual(reasoning);
  expect(read(members).extra).toBeUndefined();
});

it.each([
  [{ thinking: true }, ['thinking'], undefined],
  [{ thinking: { budget_tokens: 4_096 } }, ['thinking'], undefined],
  [{ thinking: { type: 'deep' } }, ['thinking'], undefined],
  [{ thinking: { type: 'enabled', budget_tokens: -1 } }, ['thinking.budget_tokens'], { adaptive: true }],
  [{ thinking: { type: 'enabled', budget_tokens: '9' } }, ['thinking.budget_tokens'], { adaptive: true }],
  [{ thinking: { type: 'disabled', budget_tokens: 4_096 } }, ['thinking.budget_tokens'], { off: true }],
  [{ thinking: { type: 'enabled', clear_thinking: false } }, ['thinking.clear_thinking'], { adaptive: true }],
  [{ reasoning: 'high' }, ['reasoning'], undefined],
  [{ reasoning: { effort: 'huge' } }, ['reasoning'], undefined],
  [{ reasoning: { exclude: true } }, ['reasoning'], undefined],
  [{ reasoning: { effort: 'high', exclude: true } }, ['reasoning.exclude'], { effort: 'high' }],
  [{ reasoning: { effort: 'high', summary: 'long' } }, ['reasoning.summary'], { effort: 'high' }],
  [{ reasoning: { enabled: false, summary: 'auto' } }, ['reasoning.summary'], { off: true }],
  [{ reasoning: { effort: 'high', max_tokens: 2_000 } }, ['reasoning.max_tokens'], { effort: 'high' }],
  [{ reasoning: { effort: 'huge', max_tokens: 2_000 } }, ['reasoning.effort'], { budgetTokens: 2_000 }],
])('tells what it does not take of %j', (members, unread, reasoning) => {
  expect(read(members).unread).toEqual(unread);
  expect(read(members).reasoning).toEqual(reasoning);
});

it.each([
  { reasoning: { effort: 'high', max_tokens: null, exclude: false } },
  { reasoning: { effort: 'high', enabled: true } },
])('tells nothing of members of %j that say no more', (members) => {
  expect(read(members)).toMatchObject({ unread: [], reasoning: { effort: 'high' } });
});

it.each([{ reasoning: { effort: null, max_tokens: null } }, { thinking: { type: null } }, { thinking: {} }])(
  'takes %j for what is not there',
  (members) => {
    expect(read(members).unread).toEqual([]);
    expect(read(members).reasoning).toBeUndefined();
  },
);

it('takes the word that is off where a request says both', () => {
  expect(read({ thinking: { type: 'disabled' }, reasoning_effort: 'high' }).reasoning).toMatchObject({ off: true });
  expect(read({ reasoning: { enabled: false }, thinking: { type: 'enabled' } }).reasoning).toMatchObject({ off: true });
});

it.each([
  [40, 40],
  [0, undefined],
  [-1, undefined],
])('reads top_k %d, where what is none means no bound', (said, topK) => {
  expect(read({ top_k: said }).topK).toBe(topK);
  expect(read({ top_k: said }).extra).toBeUndefined();
});

describe('what an answer is to be made of', () => {
  it('is text', () => expect(read({ modalities: ['text'] })).toMatchObject({ unread: [] }));

  it('is no sound, which a caller would look for in the answer', () =>
    expect(() => read({ modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } })).toThrow(
      "'modalities' cannot hold 'audio'",
    ));

  it('is told of other kinds that it is not known', () =>
    expect(read({ modalities: ['text', 'smell'] })).toMatchObject({ unread: ['modalities'] }));
});
