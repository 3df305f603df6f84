import type { z } from 'zod';
import { type modelDiscovery, priceSheet, providerDefinition } from '@tollgate/contracts/catalog';
import { parseTollgateFile } from '@tollgate/configuration';
import { builtInProviders } from '@tollgate/providers';
import { discoveredModels, waitingModels, familyOf } from './discovered-models';
import { resolveModel } from './resolve-model';
import { effectiveCatalog } from './effective-catalog';
import { seedFiles } from './seed';

type Discovery = z.input<typeof modelDiscovery>;

const home = (discover: Discovery | null) =>
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

function idsOf(names: string[], discover: Discovery | null = all): string[] {
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

  it('embed or order documents when they are called so', () => {
    const names = list('nomic-embed-text', 'bge-reranker-v2-m3', 'qwen3');
    const found = discoveredModels([{ ...home(all), operatorDefined: true }], [], names);
    expect(found.map(({ kind }) => kind)).toEqual(['embedding', 'rerank', 'generation']);
  });

  it('leave out what the catalog has, under that id or at that place', () => {
    const own = [
      { id: 'home/one', provider: 'home', upstreamModel: 'uno' },
      { id: 'mine', provider: 'home', upstreamModel: 'two' },
    ].flatMap((entry) => resolveModel(entry) ?? []);
    const found = discoveredModels([home(all)], own, list('one', 'two', 'three'));
    expect(found.map(({ id }) => id)).toEqual(['home/three']);
  });

  it('leave out what a built-in provider lists and nobody generates here, days of what the catalog has, and what was there long ago', () => {
    const daily: Discovery = { ...all, onlyNew: true };
    const own = [{ id: 'home/fable-5', provider: 'home' }].flatMap((entry) => resolveModel(entry) ?? []);
    const day = (text: string) => Date.parse(text) / 1_000;
    const listed = [
      { name: 'fable-6', contextWindow: null, createdAt: day('2026-11-20') },
      { name: 'fable-untold', contextWindow: null },
      { name: 'fable-5-20261001', contextWindow: null, createdAt: day('2026-10-01') },
      { name: 'fable-2', contextWindow: null, createdAt: day('2024-01-01') },
      { name: 'fable-6-tts', contextWindow: null, createdAt: day('2026-11-20') },
    ];
    const provider = { ...home(daily), operatorDefined: false };
    const found = discoveredModels([provider], own, { home: listed }, '2026-11-01');
    expect(found.map(({ id, created }) => [id, created])).toEqual([
      ['home/fable-6', day('2026-11-20')],
      ['home/fable-untold', 0],
    ]);
  });

  it('wait for an operator where the provider is set so', () => {
    const found = (serve: 'at-once' | 'on-approval') => {
      const providers = [home({ ...all, serve })];
      return waitingModels(providers, discoveredModels(providers, [], list('one', 'two')), new Set(['home/two']));
    };
    expect(found('at-once')).toEqual([]);
    expect(found('on-approval')).toEqual(['home/one']);
  });
});

const { models } = effectiveCatalog(builtInProviders, seedFiles, parseTollgateFile('none', ''));

describe('familyOf', () => {
  it.each([
    ['anthropic', 'claude-opus-6', { contextWindow: 1_000_000, maxOutputTokens: 128_000 }],
    ['openai', 'gpt-6.3-sol', { contextWindow: 1_050_000, maxOutputTokens: 128_000 }],
    ['openai', 'text-embedding-4', { kind: 'embedding' }],
    ['google', 'gemini-4-neon', { capabilities: expect.objectContaining({ reasoning: true }) }],
  ])('%s: %s is taken for one of its family', (provider, name, facts) => {
    expect(familyOf(provider, name, models)).toMatchObject(facts);
  });

  it('knows nothing of a name that begins like no other of that provider', () => {
    expect(familyOf('anthropic', 'gpt-7', models)).toBeNull();
    expect(familyOf('nobody', 'claude-opus-6', models)).toBeNull();
  });
});
