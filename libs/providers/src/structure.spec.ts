import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { builtInProviders } from './registry';

const folder = join(__dirname, 'providers');
const files = readdirSync(folder).map((file) => basename(file, '.ts'));

describe('the providers', () => {
  it('are at least fourteen, each in a file of its id and one line of the registry', () => {
    expect(builtInProviders.map(({ id }) => id)).toEqual(files.sort());
    expect(files.length).toBeGreaterThanOrEqual(14);
  });

  it('that speak a dialect which is not built yet are not offered', () => {
    expect(new Set(builtInProviders.map(({ dialect }) => dialect))).toEqual(new Set(['openai-chat']));
  });

  it.each(builtInProviders.map((provider) => [provider.id, provider] as const))('%s is complete', (_, provider) => {
    expect(provider.name).not.toBe('');
    expect(provider.baseUrl).toMatch(/^https:\/\/.*[^/]$/);
    expect(provider.apiKeyEnv.length).toBeGreaterThan(0);
    expect(provider.apiKeyEnv.join()).toMatch(/^[A-Z0-9_,]+$/);
    expect(provider.documentation).toMatch(/^https:\/\//);
  });
});

describe('a key leaves only to its own provider', () => {
  it('so no two providers share a base address or the name of a key', () => {
    const unique = (values: string[]): boolean => new Set(values).size === values.length;
    expect(unique(builtInProviders.map(({ baseUrl }) => baseUrl))).toBe(true);
    expect(unique(builtInProviders.flatMap(({ apiKeyEnv }) => apiKeyEnv))).toBe(true);
  });
});
