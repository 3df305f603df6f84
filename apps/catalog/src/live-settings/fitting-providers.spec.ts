import { parseSettings, parseTollgateFile, TollgateFileError } from '@tollgate/configuration';
import { catalogOf, type ReadFile } from '../configuration-file/read-catalog';
import { checkSettings } from './checked-settings';
import type { ForProviders, GivenKey } from './fitting-providers';
import { layeredCatalog } from './layered-catalog';

const read = (text: string): ReadFile => {
  const file = parseTollgateFile('tollgate.yaml', text);
  return { file, catalog: catalogOf(file) };
};
const noFile = read('');
const there = 'https://acme.example/v1';
const acme = (more = '') => `{id: acme, dialect: openai-chat, baseUrl: "${there}"${more}}`;
const aKey = (overrides: Partial<GivenKey> = {}): GivenKey => ({
  ...{ provider: 'acme', name: 'main', baseUrl: there, sealed: 'box', lastFour: 'live', setAt: 1, setBy: 'cli:ada' },
  ...overrides,
});
const given = (keys: readonly GivenKey[], privateHosts: readonly string[] = []): ForProviders => ({
  keys,
  privateHosts,
});
const layered = (document: string, by: ForProviders = given([]), file = noFile) => layeredCatalog(file, document, by);
const providerOf = (...args: Parameters<typeof layered>) =>
  layered(...args).catalog.providers.find(({ id }) => id === 'acme');
const entryOf = (...args: Parameters<typeof layered>) =>
  layered(...args).entries.find(({ origin }) => origin === 'settings');

function problemsOf(document: string, by = given([]), file = noFile): string[] {
  try {
    checkSettings(file, parseSettings(document), new Set(), by);
  } catch (error) {
    if (error instanceof TollgateFileError) return error.problems;
    throw error;
  }
  return [];
}

describe('a provider of the settings', () => {
  it('is one that the operator added, with its sealed keys, and with nothing of the environment', () => {
    const provider = providerOf(`providers: [${acme(', keys: [main, spare], models: discover')}]`, given([aKey()]));
    expect(provider).toMatchObject({
      ...{ operatorDefined: true, isLive: true, apiKeyEnv: [], baseUrl: there, discover: { prefix: 'acme/' } },
      sealedKeys: [{ name: 'main', sealed: 'box' }],
    });
    expect(providerOf(`providers: [${acme()}]`)).toMatchObject({ isLive: true, sealedKeys: null });
  });

  it('is one that models of the settings may be deployed at', () => {
    const deployments = 'deployments: [{provider: openai}, {provider: acme, upstreamModel: mini}]';
    const document = `models: [{id: openai/gpt-5.4-mini, ${deployments}}]\nproviders: [${acme()}]`;
    expect(problemsOf(document)).toEqual([]);
    const { catalog } = layered(document);
    expect(catalog.models.find(({ id }) => id === 'openai/gpt-5.4-mini')?.deployments).toHaveLength(2);
  });

  it('gives a provider of the release keys beside those of the environment, and no other address', () => {
    const keys = [aKey({ provider: 'openai', baseUrl: 'https://api.openai.com/v1' })];
    const { catalog } = layered('providers: [{id: openai, keys: [main]}]', given(keys));
    expect(catalog.providers.find(({ id }) => id === 'openai')).toMatchObject({
      ...{ isLive: false, operatorDefined: false, apiKeyEnv: ['OPENAI_API_KEY'] },
      sealedKeys: [{ name: 'main', sealed: 'box' }],
    });
    for (const more of [`baseUrl: "${there}"`, 'preset: vllm', 'authentication: api-key', 'alsoAt: []'])
      expect(problemsOf(`providers: [{id: openai, ${more}}]`)).toEqual([
        expect.stringMatching(/^settings:1:13: providers\[0\]: openai is a provider of the release, whose address/),
      ]);
  });

  it('takes no key where the credentials are those of Google', () => {
    expect(problemsOf('providers: [{id: vertex, keys: [main]}]')).toEqual([
      expect.stringContaining('takes credentials of Google, which stand in the environment alone'),
    ]);
  });

  it.each([
    ['http://acme.example/v1', 'must begin with https://'],
    ['https://10.0.0.7/v1', 'not of the internet'],
    ['https://169.254.169.254/', 'not of the internet'],
    ['https://user:password@acme.example/', 'must not hold a user or a password'],
  ])('has an address that a key may go to, unless the environment trusts its host: %s', (baseUrl, says) => {
    const document = `providers: [{id: a, dialect: openai-chat, baseUrl: "https://a.example"}, {id: acme, dialect: openai-chat, baseUrl: "${baseUrl}"}]`;
    expect(problemsOf(document)).toEqual([
      expect.stringMatching(/^settings:1:\d+: providers\[1\]: the address of acme/),
    ]);
    expect(problemsOf(document)[0]).toContain(says);
    expect(providerOf(document)).toBeUndefined();
    const host = new URL(baseUrl).hostname;
    if (!baseUrl.includes('@')) expect(problemsOf(document, given([], [host]))).toEqual([]);
  });

  it('needs an address, or a preset that brings one', () => {
    expect(problemsOf('providers: [{id: acme}]')).toEqual([
      expect.stringMatching(
        /^settings:1:13: providers\[0\]: acme is a new provider and needs dialect and baseUrl, or a/,
      ),
    ]);
    expect(problemsOf('providers: [{id: acme, preset: ollama}]', given([], ['127.0.0.1']))).toEqual([]);
  });

  it('is set aside while its keys are missing, or were given for another address, and stays in the catalog', () => {
    const document = `providers: [${acme(', keys: [main]')}]`;
    expect(problemsOf(document)).toEqual([]);
    expect(entryOf(document)).toMatchObject({
      ...{ section: 'providers', id: 'acme', standing: 'set-aside' },
      problem: 'its key main is not there: it was not given yet, or was removed',
    });
    expect(providerOf(document)).toMatchObject({ sealedKeys: [] });
    const moved = given([aKey({ baseUrl: 'https://old.example/v1' })]);
    expect(entryOf(document, moved)).toMatchObject({
      standing: 'set-aside',
      problem: 'its key main was given for https://old.example/v1, and goes to no other address: give it again',
    });
    expect(providerOf(document, moved)).toMatchObject({ sealedKeys: [] });
    expect(entryOf(document, given([aKey()]))).toMatchObject({ standing: 'in-force', problem: null });
  });

  it('gives way to one that the file has, as a whole, with its keys', () => {
    const file = read(
      `providers: [{id: acme, dialect: openai-chat, baseUrl: "https://file.example/v1", apiKeyEnv: A}]`,
    );
    const document = `providers: [${acme(', keys: [main]')}]`;
    expect(problemsOf(document, given([aKey()]), file)).toEqual([
      'settings:1:13: providers[0]: acme stands in tollgate.yaml: change it there',
    ]);
    expect(providerOf(document, given([aKey()]), file)).toMatchObject({
      ...{ isLive: false, sealedKeys: null, baseUrl: 'https://file.example/v1' },
    });
    expect(entryOf(document, given([aKey()]), file)).toMatchObject({ standing: 'overridden' });
  });
});
