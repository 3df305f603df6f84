import { parseTollgateFile } from '@tollgate/configuration';
import { builtInProviders } from '@tollgate/providers';
import { effectiveCatalog } from './effective-catalog';
import { familyOf } from './family-of';
import { seedFiles } from './seed';

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
