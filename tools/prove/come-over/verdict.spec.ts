import type { Asked, Caller } from './callers';
import { planEstate } from './estate';
import { expectedHoldings } from './expected';
import { problemsOf, type Seen } from './verdict';

const holdings = expectedHoldings(planEstate(200, ['gpt-4.1', 'house']));
const refusedWith = { blocked: 401, expired: 401, 'team blocked': 403, 'budget spent': 402, model: 404 } as const;

function asked(refused: Caller['refused'], more: Partial<Asked> = {}): Asked {
  const caller: Caller = { apiKey: 'sk-one', model: 'gpt-4.1', surface: '/v1/messages', refused };
  const answer = refused === 'none' ? { status: 200, text: 'The Nile.' } : { status: refusedWith[refused], text: null };
  return { caller, said: '', ...answer, ...more };
}

const refusedOnes = (['blocked', 'expired', 'team blocked', 'budget spent', 'model'] as const).map((why) => asked(why));
const good: Seen = {
  ...{ dryChanged: [], dryWroteFile: false, litellmChanged: [], againChanged: [] },
  ...{ expected: holdings, held: holdings, asked: [asked('none'), ...refusedOnes], atProvider: 1, callers: 1 },
  there: null,
};
const withAsked = (one: Asked): Seen => ({ ...good, asked: [...good.asked.filter(isOther(one)), one] });
const isOther = (one: Asked) => (each: Asked) => each.caller.refused !== one.caller.refused;

describe('what a move from LiteLLM has shown', () => {
  it('holds when all is as it has to be', () => {
    expect(problemsOf(good)).toEqual([]);
  });

  it.each<[string, Seen, string]>([
    ['a dry run that changed something', { ...good, dryChanged: ['api_key'] }, 'api_key'],
    ['a dry run that wrote a file', { ...good, dryWroteFile: true }, 'wrote a file'],
    ['a change of LiteLLM', { ...good, litellmChanged: ['LiteLLM_TeamTable'] }, 'LiteLLM_TeamTable'],
    ['a second run that made something', { ...good, againChanged: ['budget'] }, 'budget'],
    [
      'a nano-dollar too much',
      { ...good, held: { ...holdings, openingOfKeys: holdings.openingOfKeys + 1n } },
      'openingOfKeys',
    ],
    ['a key too few', { ...good, held: { ...holdings, keys: holdings.keys - 1 } }, 'keys'],
    ['a caller who was not asked for', { ...good, callers: 2 }, '1 callers were asked for'],
    ['a caller who is refused', withAsked(asked('none', { status: 401, text: null })), '401'],
    ['an answer in another form', withAsked(asked('none', { text: null })), 'who goes on'],
    ['a blocked key that is answered', withAsked(asked('blocked', { status: 200, text: 'Hm.' })), 'blocked'],
    ['an expired key whose refusal is a fault of ours', withAsked(asked('expired', { status: 500 })), '500'],
    [
      'a caller whom LiteLLM itself does not answer',
      { ...good, there: [asked('none', { text: null })] },
      'LiteLLM itself',
    ],
    ['one whom LiteLLM answers', { ...good, there: [asked('model', { status: 200 })] }, 'should be refused (model)'],
    ['a refused one who reached the provider', { ...good, atProvider: 2 }, 'The provider got 2'],
  ])('does not hold with %s', (_, seen, told) => {
    expect(problemsOf(seen).join('\n')).toContain(told);
  });

  it('does not hold where nobody was asked for of a kind that is refused', () => {
    const seen = { ...good, asked: good.asked.filter(({ caller }) => caller.refused !== 'expired') };
    expect(problemsOf(seen)).toEqual(['Nobody was asked for who is refused there: expired.']);
  });
});
