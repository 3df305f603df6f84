import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { dialectNames } from '@tollgate/contracts';
import { builtInProviders } from './registry';

const folder = join(__dirname, 'providers');
const files = readdirSync(folder).map((file) => basename(file, '.ts'));

describe('the providers', () => {
  it('are at least fourteen, each in a file of its id and one line of the registry', () => {
    expect(builtInProviders.map(({ id }) => id)).toEqual(files.sort());
    expect(files.length).toBeGreaterThanOrEqual(14);
  });

  it('speak every dialect that there is, and none twice', () => {
    const spoken = builtInProviders.flatMap(({ dialect, alsoSpeaks }) => [dialect, ...alsoSpeaks]);
    expect([...new Set(spoken)].sort()).toEqual([...dialectNames].sort());
    for (const { dialect, alsoSpeaks } of builtInProviders) expect(alsoSpeaks).not.toContain(dialect);
  });

  it.each(builtInProviders)(
    '$id fills every placeholder of its base URL, and no other',
    ({ baseUrl, placeholders }) => {
      const names = [...baseUrl.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(Object.keys(placeholders)).toEqual(names);
    },
  );

  it.each(builtInProviders.map((provider) => [provider.id, provider] as const))('%s is complete', (_, provider) => {
    expect(provider.name).not.toBe('');
    expect(provider.baseUrl).toMatch(/^https:\/\/.*[^/]$/);
    expect(provider.apiKeyEnv.length).toBeGreaterThan(0);
    expect(provider.apiKeyEnv.join()).toMatch(/^[A-Z0-9_,]+$/);
    expect(provider.documentation).toMatch(/^https:\/\//);
  });
});

describe('a key leaves only to its own provider', () => {
  it('so no two providers share a base address, and no two hosts the name of a key', () => {
    const unique = (values: string[]): boolean => new Set(values).size === values.length;
    expect(unique(builtInProviders.map(({ baseUrl }) => baseUrl))).toBe(true);
    const keysAtHosts = builtInProviders.flatMap(({ apiKeyEnv, baseUrl }) =>
      apiKeyEnv.map((key) => `${key} ${new URL(baseUrl).host}`),
    );
    // One host may be two providers: Vertex AI speaks one dialect for Gemini and another for Claude.
    const keys = [...new Set(keysAtHosts)].map((keyAtHost) => keyAtHost.split(' ', 1).join(''));
    expect(unique(keys)).toBe(true);
  });
});
