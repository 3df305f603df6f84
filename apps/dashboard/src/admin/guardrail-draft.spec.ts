import { draftOf, noDraft, toDraft, toGuardrail } from './guardrail-draft';

it('is a guardrail of each line, and of no pattern where it looks for personal data', () => {
  const draft = { id: 'draft', appliesTo: 'both' };
  expect(toDraft({ ...noDraft, patterns: 'one \n\n  two\n', ignoreCase: true, action: 'block' })).toEqual({
    ...draft,
    ...{ kind: 'regex', patterns: ['one ', '  two'], ignoreCase: true, action: 'block' },
  });
  expect(toDraft({ ...noDraft, kind: 'pii', patterns: 'one' })).toEqual({ ...draft, kind: 'pii', action: 'flag' });
});

it('is what is said of one that is set, and becomes that again, what has no control here, too', () => {
  const said = {
    ...{ kind: 'regex', patterns: ['one', 'two'], ignoreCase: true, longest: 40 },
    ...{ appliesTo: 'input', action: 'block', keys: ['a'], models: ['openai/*', 'x/y'] },
  };
  const draft = draftOf('hush', said);
  expect(draft).toMatchObject({ id: 'hush', patterns: 'one\ntwo', keys: 'a', models: 'openai/*, x/y' });
  expect(toGuardrail(draft ?? noDraft)).toEqual({ id: 'hush', ...said });
  expect(toDraft(draft ?? noDraft)).toMatchObject({ longest: 40 });
  const mail = { kind: 'pii', detectors: ['email'], appliesTo: 'both', action: 'flag', keys: [], models: [] };
  expect(toGuardrail(draftOf('mail', mail) ?? noDraft)).toEqual({ id: 'mail', ...mail });
  expect(draftOf('odd', { kind: 'later' })).toBeNull();
  expect(draftOf('of-file', null)).toBeNull();
});

it.each([
  [{ id: 'Hush' }, 'lower-case'],
  [{ id: 'hush', patterns: ' ' }, 'patterns'],
])('is no guardrail of %j', (typed, problem) => {
  expect(() => toGuardrail({ ...noDraft, patterns: 'a', ...typed })).toThrow(problem);
});
