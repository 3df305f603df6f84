import { withEntry, withoutEntry } from './changed-entry';
import { parseSettings } from './settings-document';

const ours = '# Ours\nmodels:\n  - id: a/b # why\n    fallbacks: [ c/d ]\n';

describe('a document of settings to which an entry is added', () => {
  it('changes the model of it that it has, and leaves the others', () => {
    const after = withEntry(ours, 'models', 'a/b', { fallbacks: null, name: 'Ours' });
    expect(parseSettings(after).models).toEqual([{ id: 'a/b', name: 'Ours' }]);
    expect(after).toContain('- id: a/b # why');
    expect(withoutEntry(withEntry(ours, 'models', 'c/d', {}), 'models', 'c/d')).toBe(ours);
  });

  it.each(['', '# nothing yet\n', 'providers:\n', 'providers: []\n', ours])('keeps what it said: %j', (before) => {
    const after = withEntry(before, 'providers', 'acme', {
      baseUrl: 'https://acme.example/v1',
      keys: ['main'],
      name: undefined,
    });
    expect(parseSettings(after).providers).toEqual([
      { id: 'acme', baseUrl: 'https://acme.example/v1', keys: ['main'] },
    ]);
    expect(parseSettings(after).models).toEqual(parseSettings(before).models);
    for (const comment of before.match(/#.*/g) ?? []) expect(after).toContain(comment);
  });

  it('is changed in these fields of it alone, and is the one before when it is taken out', () => {
    const first = withEntry(ours, 'providers', 'acme', { baseUrl: 'https://acme.example/v1' });
    const second = withEntry(first, 'providers', 'other', { baseUrl: 'https://other.example/v1' });
    const third = withEntry(second, 'providers', 'acme', { models: 'discover' });
    expect(parseSettings(third).providers).toMatchObject([
      { id: 'acme', baseUrl: 'https://acme.example/v1', models: {} },
      { id: 'other', baseUrl: 'https://other.example/v1' },
    ]);
    const without = withoutEntry(withoutEntry(third, 'providers', 'other') ?? '', 'providers', 'acme');
    expect(without).toBe(ours);
    expect(withoutEntry(ours, 'providers', 'acme')).toBeNull();
  });

  it('is empty when nothing is left', () => {
    expect(withoutEntry(withEntry('', 'providers', 'acme', {}), 'providers', 'acme')).toBe('');
  });

  it.each(['[', '7', '[1]'])('is not changed where it is none: %j', (text) =>
    expect(() => withEntry(text, 'providers', 'acme', {})).toThrow('settings'),
  );
});
