import { priceSheet, providerDefinition, type ModelDiscovery } from '@tollgate/contracts';
import { discoveredModels } from './discovered-models';
import { resolveModel } from './resolve-model';

const home = (discover: ModelDiscovery | null) =>
  providerDefinition.parse({
    id: 'home',
    name: 'Home',
    dialect: 'openai-chat',
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKeyEnv: [],
    discover,
  });
const list = (...names: string[]) => ({ home: names.map((name) => ({ name, contextWindow: 4096 })) });
const all = { match: ['*'], prefix: 'home/' };

function idsOf(names: string[], discover: ModelDiscovery | null = all): string[] {
  return discoveredModels([home(discover)], [], list(...names)).map(({ id }) => id);
}

describe('models that a provider lists', () => {
  it('are taken for one of their family where a built-in provider lists them, without a price', () => {
    const known = resolveModel({
      id: 'home/opus-5',
      provider: 'home',
      created: 1,
      maxOutputTokens: 9,
      capabilities: { temperature: false },
      prices: priceSheet.parse({ input: '1', output: '2' }),
    });
    if (!known) throw new Error('it has a provider');
    const find = (operatorDefined: boolean) =>
      discoveredModels([{ ...home(all), operatorDefined }], [known], list('opus-5', 'opus-6'));
    const relative = { id: 'home/opus-6', contextWindow: 4096, maxOutputTokens: 9, prices: null };
    expect(find(false)).toEqual([expect.objectContaining(relative)]);
    expect(find(false)[0]?.capabilities.temperature).toBe(false);
    expect(find(true)[0]).toMatchObject({ maxOutputTokens: null, inputModalities: ['text', 'image'] });
  });

  it('are offered behind its prefix, and refuse nothing in its place', () => {
    const [model] = discoveredModels([home(all)], [], list('llama3.2:latest'));
    expect(model).toMatchObject({
      id: 'home/llama3.2:latest',
      provider: 'home',
      kind: 'generation',
      contextWindow: 4096,
      inputModalities: ['text', 'image'],
      capabilities: { reasoning: true, structuredOutput: true, tools: true },
      prices: null,
      deployments: [{ provider: 'home', upstreamModel: 'llama3.2:latest' }],
    });
  });

  it('are no models where nobody asked for them', () => {
    expect(idsOf(['one'], null)).toEqual([]);
  });

  it('are those whose name fits a pattern', () => {
    const names = ['qwen3-8b', 'qwen3-8b-instruct', 'llama', 'nomic-embed-text'];
    expect(idsOf(names, { match: ['qwen*instruct', 'llama'], prefix: '' })).toEqual(['qwen3-8b-instruct', 'llama']);
    expect(idsOf(names, { match: ['*3*8b'], prefix: '' })).toEqual(['qwen3-8b']);
  });

  it('have a public id, also where the name is the path of a file', () => {
    expect(idsOf(['/srv/models/gemma 3.gguf', 'Qwen/Qwen3-8B'])).toEqual(['home/gemma-3', 'home/Qwen/Qwen3-8B']);
  });

  it('embed when they are called so', () => {
    expect(discoveredModels([home(all)], [], list('nomic-embed-text'))[0]?.kind).toBe('embedding');
  });

  it('leave out what the catalog has, under that id or at that place', () => {
    const own = [
      { id: 'home/one', provider: 'home', upstreamModel: 'uno' },
      { id: 'mine', provider: 'home', upstreamModel: 'two' },
    ].flatMap((entry) => resolveModel(entry) ?? []);
    const found = discoveredModels([home(all)], own, list('one', 'two', 'three'));
    expect(found.map(({ id }) => id)).toEqual(['home/three']);
  });
});
