import { lookBack } from './turns';

const script = Buffer.from('[[],"done"]').toString('base64url');

it('plays a script until the next one, whatever agents add in the name of the user', () => {
  const { userText, resultRounds } = lookBack([
    { kind: 'user', text: 'an earlier prompt' },
    { kind: 'user', text: `do it [[sandbox: script=${script}]]` },
    { kind: 'assistant' },
    { kind: 'results', texts: ['a'] },
    { kind: 'user', text: 'a reminder' },
  ]);
  expect(userText).toContain('do it');
  expect(resultRounds).toEqual([['a']]);
});

it('looks back to the last words of the user where there is no script', () => {
  const turns = [{ kind: 'user', text: 'one' }, { kind: 'assistant' }, { kind: 'user', text: 'two' }] as const;
  expect(lookBack(turns)).toEqual({ userText: 'two', resultRounds: [] });
});
