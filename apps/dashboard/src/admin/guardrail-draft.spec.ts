import { noDraft, toDraft } from './guardrail-draft';

it('is a guardrail of each line, and of no pattern where it looks for personal data', () => {
  const draft = { id: 'draft', appliesTo: 'both' };
  expect(toDraft({ ...noDraft, patterns: 'one \n\n  two\n', ignoreCase: true, action: 'block' })).toEqual({
    ...draft,
    ...{ kind: 'regex', patterns: ['one ', '  two'], ignoreCase: true, action: 'block' },
  });
  expect(toDraft({ ...noDraft, kind: 'pii', patterns: 'one' })).toEqual({ ...draft, kind: 'pii', action: 'flag' });
});
