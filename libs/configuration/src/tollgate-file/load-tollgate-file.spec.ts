import { personalDataKinds } from '@tollgate/contracts/catalog';
import { loadTollgateFile, parseTollgateFile } from './load-tollgate-file';
import { TollgateFileError } from './tollgate-file-error';

function problemsOf(text: string): string[] {
  try {
    parseTollgateFile('tollgate.yaml', text);
  } catch (error) {
    if (error instanceof TollgateFileError) return error.problems;
    throw error;
  }
  return [];
}

describe('a good tollgate.yaml', () => {
  it.each([
    ['an empty file', ''],
    ['empty sections', 'providers:\nmodels:\nplans:\n'],
    ['comments', '# later\n'],
  ])('may be %s', (_, text) => {
    expect(parseTollgateFile('tollgate.yaml', text)).toMatchObject({ providers: [], models: [], plans: {} });
  });

  it('is not needed: without a path every section is empty', () => {
    expect(loadTollgateFile(undefined)).toMatchObject({ providers: [], models: [], plans: {} });
  });

  it('keeps what an entry does not say absent, so that it changes nothing', () => {
    const { providers, models } = parseTollgateFile(
      'tollgate.yaml',
      'providers: [{id: openai, timeouts: {idleMs: 9}}]\nmodels: [{id: openai/gpt-5.5, status: deprecated}]\n',
    );
    expect(providers).toStrictEqual([{ id: 'openai', timeouts: { idleMs: 9 } }]);
    expect(models).toStrictEqual([{ id: 'openai/gpt-5.5', status: 'deprecated' }]);
  });

  it.each([
    ['null', { dropFields: ['user'] }],
    ["' '", { dropFields: ['user'], insistsOnReasoning: [''] }],
    ["' ', insistsOnReasoning: [kimi-]", { dropFields: ['user'], insistsOnReasoning: ['kimi-'] }],
  ])('takes the quirk reasoningPlaceholder, an older name: %s', (said, quirks) => {
    const text = `providers: [{id: deepseek, quirks: {dropFields: [user], reasoningPlaceholder: ${said}}}]`;
    expect(parseTollgateFile('tollgate.yaml', text).providers).toStrictEqual([{ id: 'deepseek', quirks }]);
  });

  it('takes prices as numbers or texts and keeps them exactly as typed', () => {
    const [model] = parseTollgateFile(
      'tollgate.yaml',
      'models: [{id: a/b, prices: {input: 0.1, output: "2.50", perRequest: 0.005, longContext: [{aboveInputTokens: 9, input: 1, output: 2}]}}]',
    ).models;
    expect(model?.prices).toMatchObject({
      input: '0.1',
      output: '2.50',
      perRequest: '0.005',
      cachedInput: null,
      longContext: [{ aboveInputTokens: 9, input: '1', output: '2', cachedInput: null }],
    });
  });

  it('takes what a price says beside its rates, and knows its members', () => {
    const terms = '{served: [{on: tier, value: priority, factor: 2}], units: {webSearch: 0.01}}';
    const text = `models: [{id: a/b, prices: {input: 1, output: 2, terms: ${terms}}}]`;
    expect(parseTollgateFile('tollgate.yaml', text).models[0]?.prices?.terms).toEqual({
      served: [{ on: 'tier', value: 'priority', factor: '2' }],
      units: { webSearch: '0.01' },
    });
    expect(() => parseTollgateFile('tollgate.yaml', text.replace('units', 'unit'))).toThrow('unit');
  });

  it('takes what the contract for a deployment makes of the price, as fractions', () => {
    const text = 'models: [{id: a/b, deployments: [{provider: a, discount: 0.15, markup: "1"}]}]';
    expect(parseTollgateFile('tollgate.yaml', text).models[0]?.deployments).toEqual([
      { provider: 'a', discount: '0.15', markup: '1' },
    ]);
    expect(() => parseTollgateFile('tollgate.yaml', text.replace('0.15', '15'))).toThrow('a fraction below 1');
  });

  it('tells an unknown price (null) from an unchanged one (absent)', () => {
    const { models } = parseTollgateFile('tollgate.yaml', 'models: [{id: a/b, prices: null}, {id: a/c}]');
    expect(models.map(({ prices }) => prices)).toStrictEqual([null, undefined]);
  });

  it('reads days as Unix seconds and one environment variable as a list', () => {
    const { providers, models } = parseTollgateFile(
      'tollgate.yaml',
      'providers: [{id: x, apiKeyEnv: X_KEY}]\nmodels: [{id: a/b, created: 2026-03-17}]',
    );
    expect(providers[0]?.apiKeyEnv).toEqual(['X_KEY']);
    expect(models[0]?.created).toBe(Date.UTC(2026, 2, 17) / 1000);
  });

  it('reads unlimited as no limit', () => {
    const { plans } = parseTollgateFile('tollgate.yaml', 'plans: {gold: {rpm: unlimited, quotaTokens: 5}}');
    expect(plans).toEqual({ gold: { rpm: null, tpm: null, quotaTokens: 5, concurrency: null, modelLimits: [] } });
  });

  it('reads limits of models of a plan, each pattern once', () => {
    const read = (limits: string) =>
      parseTollgateFile('tollgate.yaml', `plans: {gold: {rpm: 9, quotaTokens: 5, modelLimits: [${limits}]}}`).plans;
    expect(read("{model: 'openai/*', rpm: 6}")['gold']?.modelLimits).toEqual([
      { model: 'openai/*', rpm: 6, tpm: null },
    ]);
    expect(() => read('{model: a/b}')).toThrow('plans.gold.modelLimits[0]: must limit requests (rpm) or tokens (tpm)');
    expect(() => read('{model: a/b, rpm: 1}, {model: a/b, tpm: 1}')).toThrow('must hold each pattern once');
  });

  it('reads guardrails with what they leave out', () => {
    const text = `guardrails:
  - {id: data, kind: pii, appliesTo: both, action: redact}
  - {id: words, kind: regex, patterns: ['a+'], appliesTo: input, action: block, models: [x/*]}
`;
    expect(parseTollgateFile('tollgate.yaml', text).guardrails).toEqual([
      {
        id: 'data',
        kind: 'pii',
        detectors: personalDataKinds,
        appliesTo: 'both',
        action: 'redact',
        keys: [],
        models: [],
      },
      {
        id: 'words',
        kind: 'regex',
        patterns: ['a+'],
        ignoreCase: false,
        longest: 128,
        appliesTo: 'input',
        action: 'block',
        keys: [],
        models: ['x/*'],
      },
    ]);
  });

  it('reads whether requests and answers are logged: not, unless it says so', () => {
    const read = (text: string) => parseTollgateFile('tollgate.yaml', text).contentLog;
    expect(read('plans: {}\n')).toBeNull();
    expect(read('contentLog: {enabled: false, retentionDays: 7}\n')).toBeNull();
    expect(read('contentLog: {enabled: true}\n')).toEqual({
      retentionDays: 30,
      maxBodyBytes: 65_536,
      detectors: personalDataKinds,
      patterns: [],
    });
    expect(read("contentLog: {enabled: true, retentionDays: 7, detectors: [iban], patterns: ['a+']}\n")).toMatchObject({
      retentionDays: 7,
      detectors: ['iban'],
      patterns: ['a+'],
    });
  });

  it('may repeat itself with YAML anchors', () => {
    const text = 'models:\n  - &base {id: a/b, contextWindow: 5}\n  - {<<: *base, id: a/c}\n';
    expect(parseTollgateFile('tollgate.yaml', text).models[1]).toEqual({ id: 'a/c', contextWindow: 5 });
  });
});

describe('a faulty tollgate.yaml', () => {
  it.each([
    ['a misspelt section', 'model: []', '1:1: model: is not a field of this section; did you mean models?'],
    [
      'a misspelt field',
      'providers:\n  - id: x\n    basUrl: http://x\n',
      '3:5: providers[0].basUrl: is not a field of this section; did you mean baseUrl?',
    ],
    [
      'a misspelt field deep inside',
      'models:\n  - id: a/b\n    prices:\n      input: 1\n      output: 1\n      cacheInput: 1\n',
      '6:7: models[0].prices.cacheInput: is not a field of this section; did you mean cachedInput?',
    ],
    [
      'a field that is like no other',
      'plans: {beta: {rpm: 1, quotaTokens: 1, colour: red}}',
      '1:40: plans.beta.colour: is not a field of this section. Known are: rpm, tpm, quotaTokens, concurrency, modelLimits',
    ],
    ['a missing field', 'providers:\n  - name: x\n', '2:5: providers[0].id: is missing'],
    [
      'a wrong type',
      'models:\n  - id: a/b\n    contextWindow: "12"\n',
      '3:20: models[0].contextWindow: must be a number, but is a text',
    ],
    [
      'a number that is too small',
      'providers: [{id: x, timeouts: {idleMs: 0}}]',
      '1:40: providers[0].timeouts.idleMs: must be more than 0',
    ],
    [
      'an empty list',
      'models: [{id: a/b, deployments: []}]',
      '1:33: models[0].deployments: must have at least 1 in the list',
    ],
    [
      'a choice that is none',
      'models: [{id: a/b, status: ready}]',
      '1:28: models[0].status: must be one of: active, preview, deprecated',
    ],
    [
      'a price that is none',
      'models: [{id: a/b, prices: {input: cheap, output: 1}}]',
      '1:36: models[0].prices.input: a decimal string, US dollars per million tokens',
    ],
    [
      'a day that is none',
      'models: [{id: a/b, created: tomorrow}]',
      '1:29: models[0].created: must be a day such as 2026-03-17, or a Unix time in seconds',
    ],
    [
      'a limit that is none',
      'plans: {beta: {rpm: lots, quotaTokens: 1}}',
      '1:21: plans.beta.rpm: must be a whole number of 0 or more, or the word unlimited',
    ],
    [
      'a plan with a bad name',
      'plans:\n  My Plan: {rpm: 1, quotaTokens: 1}\n',
      '2:3: plans.My Plan: a plan is named by lower-case letters, digits and dashes',
    ],
    ['a section of the wrong kind', 'providers: 7', '1:12: providers: must be a list, but is a number'],
    ['a file that is a list', '- a', '1:1: the file: must be a group of fields, but is a list'],
    [
      'an id that stands twice',
      'models:\n  - id: a/b\n  - id: a/b\n',
      '3:9: models[1].id: a/b stands in models[0] too',
    ],
    [
      'a guardrail that is named twice',
      'guardrails:\n  - &g {id: a, kind: pii, appliesTo: input, action: flag}\n  - *g\n',
      'a stands in guardrails[0] too',
    ],
    [
      'a pattern that cannot be taken',
      "guardrails:\n  - id: a\n    kind: regex\n    appliesTo: input\n    action: block\n    patterns:\n      - ok\n      - '(?=x)y'\n",
      '8:9: guardrails[0].patterns[1]: the pattern looks ahead or back',
    ],
    [
      'a pattern of the content log that cannot be taken',
      "contentLog:\n  enabled: true\n  patterns:\n    - '(a'\n",
      '4:7: contentLog.patterns[0]: the pattern ',
    ],
    [
      'a retention that is none',
      'contentLog:\n  enabled: true\n  retentionDays: 0\n',
      '3:18: contentLog.retentionDays: must be at least 1',
    ],
    [
      'a misspelt field of the content log',
      'contentLog:\n  enabled: true\n  retentionDay: 3\n',
      '3:3: contentLog.retentionDay: is not a field of this section; did you mean retentionDays?',
    ],
    [
      'a field of the other kind of guardrail',
      'guardrails:\n  - id: a\n    kind: pii\n    appliesTo: input\n    action: block\n    ignoreCase: true\n',
      '6:17: guardrails[0].ignoreCase: does not belong to a guardrail of the kind pii',
    ],
    [
      'a guardrail without its patterns',
      'guardrails:\n  - {id: a, kind: regex, appliesTo: input, action: block}\n',
      'guardrails[0].patterns: is missing',
    ],
    [
      'a misspelt field of a guardrail',
      'guardrails:\n  - id: a\n    apliesTo: input\n',
      '3:5: guardrails[0].apliesTo: is not a field of this section; did you mean appliesTo?',
    ],
    ['a field that stands twice', 'models:\n  - id: a/b\n    id: a/c\n', '3:5: Map keys must be unique'],
    [
      'a text that is no YAML',
      'models:\n  - id: [a\n',
      '3:1: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
  ])('tells %s with its place', (_, text, problem) => {
    expect(problemsOf(text)).toContainEqual(expect.stringContaining(problem));
  });

  it('never repeats what stands where a variable should be named: it may be the key itself', () => {
    const problems = problemsOf('providers: [{id: x, apiKeyEnv: sk-live-1234}]').join();
    expect(problems).toContain('1:32: providers[0].apiKeyEnv: must be the name of an environment variable');
    expect(problems).not.toContain('sk-live');
  });

  it('tells all faults at once', () => {
    expect(problemsOf('providers: 1\nmodels: 2\nplans: 3\n')).toHaveLength(3);
  });

  it('says who to ask when the file is not there', () => {
    expect(() => loadTollgateFile('/nowhere/tollgate.yaml')).toThrow(
      /\/nowhere\/tollgate\.yaml: cannot be read.*TOLLGATE_CONFIG/,
    );
  });
});

describe('locate', () => {
  it('finds a value, and where one is absent the entry that lacks it', () => {
    const file = parseTollgateFile('tollgate.yaml', 'models:\n  - id: a/b\n    fallbacks:\n      - a/c\n');
    expect(file.locate(['models', 0, 'fallbacks', 0])).toBe('tollgate.yaml:4:9: models[0].fallbacks[0]');
    expect(file.locate(['models', 0, 'provider'])).toBe('tollgate.yaml:2:5: models[0].provider');
  });
});
