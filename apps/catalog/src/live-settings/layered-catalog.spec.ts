import { parseSettings, parseTollgateFile, TollgateFileError } from '@tollgate/configuration';
import { catalogOf, type ReadFile } from '../configuration-file/read-catalog';
import { checkSettings } from './checked-settings';
import { layeredCatalog } from './layered-catalog';

const read = (text: string): ReadFile => {
  const file = parseTollgateFile('tollgate.yaml', text);
  return { file, catalog: catalogOf(file) };
};
const noFile = read('');
const rail = (id: string, action = 'flag') => `{id: ${id}, kind: pii, appliesTo: both, action: ${action}}`;

function problemsOf(file: ReadFile, document: string): string[] {
  try {
    checkSettings(file, parseSettings(document));
  } catch (error) {
    if (error instanceof TollgateFileError) return error.problems;
    throw error;
  }
  return [];
}

describe('settings beneath the file', () => {
  const modelOf = (file: ReadFile, document: string, id: string) =>
    layeredCatalog(file, document).catalog.models.find((each) => each.id === id);

  it('change models of the release field by field, and leave their prices', () => {
    const before = modelOf(noFile, '', 'openai/gpt-5.4-mini');
    const after = modelOf(
      noFile,
      'models: [{id: openai/gpt-5.4-mini, fallbacks: [openai/gpt-5.4-nano], aliases: [mini-of-ours]}]',
      'openai/gpt-5.4-mini',
    );
    expect(after).toEqual({ ...before, fallbacks: ['openai/gpt-5.4-nano'], aliases: ['mini-of-ours'] });
  });

  it('come behind guardrails of the file, and say what becomes of new models where it does not', () => {
    const file = read(`guardrails: [${rail('first')}]`);
    const { catalog, entries } = layeredCatalog(file, `newModels: at-once\nguardrails: [${rail('second')}]`);
    expect(catalog.guardrails.map(({ id }) => id)).toEqual(['first', 'second']);
    expect(catalog.providers.find(({ id }) => id === 'openai')?.discover).toMatchObject({ serve: 'at-once' });
    const holds = { standing: 'in-force', problem: null };
    expect(entries).toEqual([
      { section: 'guardrails', id: 'first', origin: 'file', ...holds },
      { section: 'guardrails', id: 'second', origin: 'settings', ...holds },
      { section: 'newModels', id: null, origin: 'settings', ...holds },
    ]);
  });

  it('give way to what the file comes to say of the same entry, as a whole', () => {
    const file = read(
      `newModels: never\nmodels: [{id: openai/o3, name: Of the file}]\nguardrails: [${rail('one', 'block')}]`,
    );
    const document = `newModels: at-once\nmodels: [{id: openai/o3, name: Mine, aliases: [mine]}]\nguardrails: [${rail('one')}]`;
    const { catalog, entries } = layeredCatalog(file, document);
    expect(catalog.models).toEqual(file.catalog.models);
    expect(catalog.guardrails).toMatchObject([{ id: 'one', action: 'block' }]);
    expect(entries.filter(({ origin }) => origin === 'settings')).toMatchObject([
      { section: 'models', id: 'openai/o3', standing: 'overridden' },
      { section: 'guardrails', id: 'one', standing: 'overridden' },
      { section: 'newModels', id: null, standing: 'overridden' },
    ]);
  });

  it('are set aside entry by entry where they do not fit any more, and the rest holds', () => {
    const file = read('models: [{id: openai/gpt-5.4, aliases: [taken]}]');
    const document = [
      'models:',
      '  - { id: openai/gone, fallbacks: [openai/o3] }',
      '  - { id: openai/gpt-5.4-mini, aliases: [taken] }',
      '  - { id: openai/o3, name: Mine, fallbacks: [openai/no-more] }',
      '  - { id: openai/gpt-5.4-nano, name: Nano of ours }',
      `guardrails: [${rail('one')}]`,
    ].join('\n');
    const { catalog, entries } = layeredCatalog(file, document);
    expect(catalog.models.find(({ id }) => id === 'openai/gpt-5.4-nano')?.name).toBe('Nano of ours');
    expect(catalog.models.find(({ id }) => id === 'openai/o3')?.name).not.toBe('Mine');
    expect(catalog.guardrails).toHaveLength(1);
    expect(entries.filter(({ standing }) => standing === 'set-aside')).toMatchObject([
      { id: 'openai/gone', problem: expect.stringContaining('settings:2:5: models[0]: there is no model') },
      { id: 'openai/gpt-5.4-mini', problem: expect.stringContaining('taken') },
      {
        id: 'openai/o3',
        problem: expect.stringContaining('settings:4:46: models[2].fallbacks[0]: there is no model openai/no-more'),
      },
    ]);
  });

  it('hold whatever their order is, where they fit together beside one that does not', () => {
    const owner = noFile.catalog.models.find(({ aliases }) => aliases.length > 0);
    const taker = noFile.catalog.models.find(({ aliases }) => aliases.length === 0);
    const [alias = ''] = owner?.aliases ?? [];
    const entries = [
      `{id: ${taker?.id}, aliases: [${alias}]}`,
      '{id: openai/gpt-5.4-nano, fallbacks: [openai/no-more]}',
      '{id: openai/gpt-5.4-mini, name: Ours}',
      `{id: ${owner?.id}, aliases: []}`,
    ];
    for (const order of [entries, entries.toReversed()]) {
      const { catalog, entries: told } = layeredCatalog(noFile, `models: [${order.join(', ')}]`);
      expect(told.filter(({ standing }) => standing === 'set-aside').map(({ id }) => id)).toEqual([
        'openai/gpt-5.4-nano',
      ]);
      expect(catalog.models.find(({ id }) => id === taker?.id)?.aliases).toEqual([alias]);
    }
  });

  it('keep what this release understands of what another one wrote, guardrails first of all', () => {
    const { catalog, entries, areGuardrailsKnown } = layeredCatalog(
      noFile,
      `futures: []\nmodels: [{id: openai/o3, ofTomorrow: 1}]\nguardrails: [${rail('one', 'block')}]`,
    );
    expect(catalog.guardrails).toMatchObject([{ id: 'one', action: 'block' }]);
    expect(areGuardrailsKnown).toBe(true);
    const aside = { origin: 'settings', standing: 'set-aside' };
    expect(entries).toMatchObject([
      { section: 'guardrails', id: 'one', standing: 'in-force' },
      { section: 'models', id: 'openai/o3', ...aside, problem: expect.stringContaining('ofTomorrow') },
      { section: 'models', id: null, ...aside, problem: expect.stringContaining('futures') },
    ]);
  });

  const ofTomorrow = 'guardrails: [{id: one, kind: of-tomorrow}]';
  it.each([ofTomorrow, 'guardrails: {}', '[', '7'])('say that guardrails are not known: %s', (document) => {
    const { areGuardrailsKnown, entries } = layeredCatalog(noFile, document);
    expect(areGuardrailsKnown).toBe(false);
    expect(entries).toMatchObject([{ origin: 'settings', standing: 'set-aside' }]);
  });

  it('need not be known where the file has that guardrail', () => {
    const file = read(`guardrails: [${rail('one')}]`);
    const { areGuardrailsKnown, entries } = layeredCatalog(file, ofTomorrow);
    expect(areGuardrailsKnown).toBe(true);
    expect(entries.at(-1)).toMatchObject({ section: 'guardrails', id: 'one', standing: 'overridden', problem: null });
  });
});

describe('settings that are applied', () => {
  const file = read(
    `newModels: never\nmodels: [{id: openai/o3, name: Of the file}]\nguardrails: [${rail('one', 'block')}]`,
  );

  it('are taken where they fit', () => {
    expect(problemsOf(file, 'models: [{id: openai/gpt-5.4, fallbacks: [openai/o3]}]')).toEqual([]);
    expect(problemsOf(file, '')).toEqual([]);
  });

  it('are refused by every fault at once', () => {
    expect(
      problemsOf(
        file,
        `newModels: never\nmodels: [{id: openai/o3}, {id: openai/nobody}]\nguardrails: [${rail('one')}]`,
      ),
    ).toEqual([
      'settings:2:10: models[0]: openai/o3 stands in tollgate.yaml: change it there',
      'settings:3:14: guardrails[0]: one stands in tollgate.yaml: change it there',
      'settings:1:12: newModels: stands in tollgate.yaml: change it there',
      'settings:2:27: models[1]: there is no model openai/nobody: a new one needs a price first (tollgate prices set)',
    ]);
  });

  it.each([
    ['models: [{id: openai/gpt-5.4, fallbacks: [openai/o33]}]', /1:43: models\[0\].fallbacks\[0\]: .*did you mean/],
    ['models: [{id: openai/gpt-5.4, deployments: [{provider: opneai}]}]', /no provider opneai; did you mean openai\?/],
    [
      'models: [{id: openai/gpt-5.4, fallbacks: [openai/gpt-5.5]}, {id: openai/gpt-5.5, fallbacks: [openai/gpt-5.4]}]',
      /fallbacks run in a circle/,
    ],
  ])('are refused where they do not fit: %s', (document, problem) => {
    expect(problemsOf(file, document)).toEqual([expect.stringMatching(problem)]);
  });
});
