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
  [{ thinking: null, reasoning: null, reasoning_effort: null }, undefined],
])('reads of %j how much the model is to think', (members, reasoning) => {
  expect(read(members)).toMatchObject({ unread: [] });
  expect(read(members).reasoning).toEqual(reasoning);
  expect(read(members).extra).toBeUndefined();
});

it.each([{ thinking: true }, { thinking: { type: 'deep' } }, { reasoning: 'high' }, { reasoning: { exclude: true } }])(
  'tells that it does not know %j',
  (members) => {
    expect(read(members)).toMatchObject({ unread: Object.keys(members) });
    expect(read(members).reasoning).toBeUndefined();
  },
);

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
