import { isEmptyDocument, readableSettings, setsNothing } from './readable-settings';

const rail = (id: string, more = '') => `{id: ${id}, kind: pii, appliesTo: both, action: redact${more}}`;

describe('what is readable of settings', () => {
  it('is all of a document of this release', () => {
    const { settings, unreadable } = readableSettings(`newModels: never\nguardrails: [${rail('one')}]`);
    expect([settings.newModels, settings.guardrails.map(({ id }) => id), unreadable]).toEqual(['never', ['one'], []]);
  });

  it('is every entry but those that another release wrote, which are told by their place', () => {
    const { settings, unreadable } = readableSettings(
      [
        'models:',
        '  - {id: a/b, fallbacks: [c/d]}',
        '  - {id: e/f, ofTomorrow: 1}',
        `guardrails: [${rail('one')}, ${rail('two', ', ofTomorrow: 1')}, 7, ${rail('one')}]`,
        'newModels: tomorrow',
        'plans: {team: {rpm: 1, quotaTokens: 2}, next: {rpm: 1, quotaTokens: 2, ofTomorrow: 3}}',
        'futures: []',
      ].join('\n'),
    );
    expect(settings).toMatchObject({ models: [{ id: 'a/b' }], guardrails: [{ id: 'one' }], newModels: null });
    expect(Object.keys(settings.plans)).toEqual(['team']);
    expect(unreadable).toEqual([
      {
        section: 'models',
        id: 'e/f',
        problem: expect.stringMatching(/^settings:3:15: models\[1\].ofTomorrow: is not/),
      },
      {
        section: 'plans',
        id: 'next',
        problem: expect.stringMatching(/^settings:6:\d+: plans.next.ofTomorrow: is not/),
      },
      { section: 'guardrails', id: 'two', problem: expect.stringMatching(/^settings:4:\d+: guardrails\[1\].ofTomorr/) },
      { section: 'guardrails', id: null, problem: expect.stringMatching(/guardrails\[2\]: must be a group of fields/) },
      { section: 'guardrails', id: 'one', problem: expect.stringMatching(/guardrails\[3\]: stands there twice/) },
      { section: 'newModels', id: null, problem: expect.stringMatching(/^settings:5:12: newModels: must be one of/) },
      { section: null, id: null, problem: 'settings:7:1: futures: is not a section that this release takes' },
    ]);
  });

  it.each([
    ['guardrails: {one: two}', 'guardrails'],
    ['plans: [one]', 'plans'],
    ['[', 'guardrails'],
    ['[1, 2]', 'guardrails'],
    ['7', 'guardrails'],
  ])('may be nothing: %s', (text, section) => {
    const { settings, unreadable } = readableSettings(text);
    expect(settings.guardrails).toEqual([]);
    expect(unreadable).toMatchObject([{ section, id: null }]);
  });
});

describe('a document of settings', () => {
  it.each(['', ' \n', '# version 4\n', 'null', '---\n', '~', 'models:', 'plans: {}\nmodels: []'])(
    'is empty where it sets nothing, and does not say so: %j',
    (text) => expect([setsNothing(text), isEmptyDocument(text)]).toEqual([true, true]),
  );

  it.each(['{}', ' { }\n', '# all of it\n---\n{} # nothing'])(
    'is not empty where it says that it sets nothing: %j',
    (text) => expect([setsNothing(text), isEmptyDocument(text)]).toEqual([true, false]),
  );

  it.each(['newModels: never', 'models: [{id: a/b}]', 'futures: []', '[]', 'models: {', '7'])(
    'is not empty where it says something, were it nothing that can be read: %j',
    (text) => expect([setsNothing(text), isEmptyDocument(text)]).toEqual([false, false]),
  );
});
