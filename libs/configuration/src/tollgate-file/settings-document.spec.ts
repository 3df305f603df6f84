import { parseSettings } from './settings-document';
import { settingsChanges } from './settings-changes';
import { TollgateFileError } from './tollgate-file-error';

function problemsOf(text: string): string[] {
  try {
    parseSettings(text);
  } catch (error) {
    if (error instanceof TollgateFileError) return error.problems;
    throw error;
  }
  return [];
}

describe('a document of settings', () => {
  it('says models, guardrails and what becomes of new models in the words of tollgate.yaml', () => {
    const { models, guardrails, newModels } = parseSettings(
      'newModels: at-once\nmodels: [{id: a/b, fallbacks: [c/d]}]\nguardrails: [{id: x, kind: pii, appliesTo: both, action: flag}]',
    );
    expect(models).toStrictEqual([{ id: 'a/b', fallbacks: ['c/d'] }]);
    expect(guardrails).toMatchObject([{ id: 'x', action: 'flag' }]);
    expect(newModels).toBe('at-once');
  });

  it('names keys of providers, and holds none', () => {
    const text =
      'providers: [{id: acme, baseUrl: "https://acme.example/v1", dialect: openai-chat, keys: [main, spare]}]';
    const { providers } = parseSettings(text);
    expect(providers).toMatchObject([{ id: 'acme', dialect: 'openai-chat', keys: ['main', 'spare'] }]);
  });

  it.each(['', '# nothing yet\n', 'models:\nguardrails:\n'])('may be empty: %j', (text) => {
    expect(parseSettings(text)).toMatchObject({ models: [], guardrails: [], newModels: null });
  });

  it.each([
    ['providers: [{id: evil, apiKeyEnv: DATABASE_URL}]', /^settings:1:35: providers\[0\].apiKeyEnv: names of env/],
    ['providers: [{id: evil, placeholders: {x: {env: [A]}}}]', /placeholders: names of environment variables stand in/],
    ['providers: [{id: evil, headers: {x-auth: secret}}]', /headers, which may hold a secret, stand in tollgate.yaml/],
    [
      'providers: [{id: evil, authentication: aws}]',
      /authentication: must be one of: bearer, x-api-key, x-goog-api-key, api-key$/,
    ],
    [
      'providers: [{id: evil, authentication: google}]',
      /authentication: must be one of: bearer, x-api-key, x-goog-api-key, api-key$/,
    ],
    ['providers: [{id: evil, key: sk-live}]', /providers\[0\].key: is not a field/],
    ['providers: [{id: evil, keys: [sk_Live]}]', /keys\[0\]: a name of a key is lower-case letters/],
    ['providers: [{id: constructor}]', /providers\[0\].id: is a word of JavaScript/],
    ['providers: [{id: a}, {id: a}]', /a stands in providers\[0\] too/],
    ['plans: {beta: {rpm: 1}}', /plans.beta.quotaTokens: must be a whole number/],
    ['plans: {Beta: {rpm: 1, quotaTokens: 1}}', /a plan is named by lower-case letters/],
    ['contentLog: {enabled: false}', /what is logged stands in tollgate.yaml alone/],
    ['models: [{id: a/b, prices: {input: 1, output: 2}}]', /^settings:1:28: models\[0\].prices: a price stands in/],
    ['models: [{id: a/b, prices: null}]', /a price stands in tollgate.yaml, or is set by tollgate prices set/],
    ['models: [{id: a/b, priceChanges: []}]', /priceChanges: a price stands/],
    ['models: [{id: a/b, priceUnconfirmed: false}]', /priceUnconfirmed: a price stands/],
    ['models: [{id: a/b, deployments: [{provider: x, discount: 0.9}]}]', /deployments\[0\].discount: it stands/],
    ['models: [{id: a/b, deployments: [{provider: x, markup: 9}]}]', /deployments\[0\].markup: it stands/],
    ['models:\n  - id: a/b\n    fallback: [c/d]', /^settings:3:5: models\[0\].fallback: .* did you mean fallbacks\?/],
    [
      'zebras: []',
      /^settings:1:1: zebras: is not a field of this section\. Known are: providers, models, plans, guardrails, newModels$/m,
    ],
    ['model: []', /^settings:1:1: model: is not a field of this section; did you mean models\?/],
    ['models: [{id: a/b}, {id: a/b}]', /a\/b stands in models\[0\] too/],
    ['models: [', /^settings:1:/],
    ['a: &a [x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]', /alias/],
  ])('is refused by the place of what is wrong: %s', (text, problem) => {
    expect(problemsOf(text)).toEqual(expect.arrayContaining([expect.stringMatching(problem)]));
  });

  const many = (count: number, of: (index: number) => string) => Array.from({ length: count }, (_, index) => of(index));
  it.each([
    ['names', many(6_000, (index) => `a${index}: 1`).join('\n'), 5_980],
    ['brackets', ']'.repeat(40_000), 39_980],
    ['entries', `models: [${'{id: a/b},'.repeat(400)}]`, 379],
  ])('tells the first 20 problems, and how many more there are: %s', (_, text, more) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)).toBe(`and ${more} more problems`);
  });

  it.each(['['.repeat(9_000), `models: [{id: a/b, fallbacks: ${'['.repeat(9_000)}${']'.repeat(9_000)}}]`])(
    'says that lists stand too deep in one another',
    (text) => expect(problemsOf(text)).toEqual([expect.stringMatching(/^settings:1:\d+: lists and groups stand too/)]),
  );

  it.each([
    ['models', 'models: [', '{id: a/b},', 501],
    ['aliases', 'models: [{id: a/b, aliases: [', 'x,', 101],
    ['fallbacks', 'models: [{id: a/b, fallbacks: [', 'x,', 101],
    ['deployments', 'models: [{id: a/b, deployments: [', '{provider: x},', 101],
    ['providers', 'providers: [', '{id: x},', 101],
    ['guardrails', 'guardrails: [', '{id: x, kind: pii, appliesTo: both, action: flag},', 501],
  ])('has lists that somebody can look over: %s', (_, before, entry, count) => {
    const text = `${before}${entry.repeat(count)}${before.includes('{') ? ']}]' : ']'}`;
    expect(problemsOf(text)).toEqual([expect.stringMatching(new RegExp(`must have at most ${count - 1} in the list`))]);
  });
});

describe('changes of settings', () => {
  const changes = (before: string, after: string) => settingsChanges(parseSettings(before), parseSettings(after));
  const rail = (id: string) => `{id: ${id}, kind: pii, appliesTo: both, action: flag}`;

  it('are told entry by entry, and field by field', () => {
    expect(
      changes(
        'models: [{id: a/b, fallbacks: [c/d], hedgeAfterMs: 9}, {id: e/f, aliases: [x]}]',
        'newModels: never\nmodels: [{id: a/b, fallbacks: [c/e], contextWindow: null}, {id: g/h}]',
      ),
    ).toEqual([
      {
        ...{ section: 'models', id: 'a/b', what: 'changed' },
        fields: [
          { field: 'fallbacks', before: '["c/d"]', after: '["c/e"]' },
          { field: 'hedgeAfterMs', before: '9', after: null },
          { field: 'contextWindow', before: null, after: 'null' },
        ],
      },
      { section: 'models', id: 'e/f', what: 'removed', fields: [{ field: 'aliases', before: '["x"]', after: null }] },
      { section: 'models', id: 'g/h', what: 'added', fields: [] },
      {
        ...{ section: 'newModels', id: null, what: 'added' },
        fields: [{ field: 'newModels', before: null, after: '"never"' }],
      },
    ]);
  });

  it('are none where it is only written in another way', () => {
    expect(changes('models: [{id: a/b}, {id: c/d}]', '# why\nmodels:\n  - id: c/d\n  - id: a/b\n')).toEqual([]);
  });

  it('are told of plans by their names', () => {
    const plan = (rpm: number) => `plans: {team: {rpm: ${rpm}, quotaTokens: 1}}`;
    const fields = [{ field: 'rpm', before: '1', after: '2' }];
    expect(changes(plan(1), plan(2))).toEqual([{ section: 'plans', id: 'team', what: 'changed', fields }]);
    expect(changes(plan(1), '')).toMatchObject([{ section: 'plans', id: 'team', what: 'removed' }]);
    expect(changes('', plan(1))).toMatchObject([{ section: 'plans', id: 'team', what: 'added' }]);
  });

  it('are told of the models of a provider as these are written', () => {
    const models = (said: string) => `providers: [{id: openai, models: ${said}}]`;
    const told = (before: string, after: string) => changes(before, after).flatMap(({ fields }) => fields);
    expect(told('', models('discover'))).toEqual([{ field: 'models', before: null, after: '"discover"' }]);
    expect(told(models('never'), models('{discover: true, match: a*}'))).toEqual([
      { field: 'models', before: '"never"', after: '{"discover":true,"match":["a*"]}' },
    ]);
    expect(told(models('discover'), models('{discover: true}'))).toEqual([]);
  });

  it('are told of guardrails that change places', () => {
    const [one, two, new_] = ['one', 'two', 'new'].map(rail);
    expect(changes(`guardrails: [${one}, ${two}]`, `guardrails: [${one}, ${new_}, ${two}]`)).toMatchObject([
      { id: 'new', what: 'added' },
    ]);
    expect(changes(`guardrails: [${one}, ${two}]`, `guardrails: [${two}, ${one}]`)).toEqual([
      {
        ...{ section: 'guardrails', id: null, what: 'changed' },
        fields: [{ field: 'order', before: '["one","two"]', after: '["two","one"]' }],
      },
    ]);
  });
});
