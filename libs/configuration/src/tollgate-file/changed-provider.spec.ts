import { parseSettings } from './settings-document';
import { withoutProvider, withProvider } from './changed-provider';

const ours = '# Ours\nmodels:\n  - id: a/b # why\n    fallbacks: [ c/d ]\n';

describe('a document of settings to which a provider is added', () => {
  it.each(['', '# nothing yet\n', 'providers:\n', 'providers: []\n', ours])('keeps what it said: %j', (before) => {
    const after = withProvider(before, 'acme', { baseUrl: 'https://acme.example/v1', keys: ['main'], name: undefined });
    expect(parseSettings(after).providers).toEqual([
      { id: 'acme', baseUrl: 'https://acme.example/v1', keys: ['main'] },
    ]);
    expect(parseSettings(after).models).toEqual(parseSettings(before).models);
    for (const comment of before.match(/#.*/g) ?? []) expect(after).toContain(comment);
  });

  it('is changed in these fields of it alone, and is the one before when it is taken out', () => {
    const first = withProvider(ours, 'acme', { baseUrl: 'https://acme.example/v1' });
    const second = withProvider(first, 'other', { baseUrl: 'https://other.example/v1' });
    const third = withProvider(second, 'acme', { models: 'discover' });
    expect(parseSettings(third).providers).toMatchObject([
      { id: 'acme', baseUrl: 'https://acme.example/v1', models: {} },
      { id: 'other', baseUrl: 'https://other.example/v1' },
    ]);
    const without = withoutProvider(withoutProvider(third, 'other') ?? '', 'acme');
    expect(without).toBe(ours);
    expect(withoutProvider(ours, 'acme')).toBeNull();
  });

  it('is empty when nothing is left', () => {
    expect(withoutProvider(withProvider('', 'acme', {}), 'acme')).toBe('');
  });

  it.each(['[', '7', '[1]'])('is not changed where it is none: %j', (text) =>
    expect(() => withProvider(text, 'acme', {})).toThrow('settings'),
  );
});
