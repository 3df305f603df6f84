import { forgetOthers, keyOf, read, write } from './stored';

beforeEach(() => {
  const kept: Record<string, string> = {};
  const hidden = (value: unknown) => ({ value, enumerable: false });
  Object.defineProperties(kept, {
    getItem: hidden((key: string) => kept[key] ?? null),
    setItem: hidden((key: string, text: string) => void (kept[key] = text)),
    removeItem: hidden((key: string) => delete kept[key]),
  });
  Object.defineProperty(globalThis, 'localStorage', { value: kept, configurable: true });
  localStorage.setItem('theme', 'dark');
  for (const userId of ['ann', 'anna'])
    for (const [name, text] of [
      ['conversations', '["a word"]'],
      ['views own', '[{"name":"ada@example.com"}]'],
      ['single keys', 'false'],
    ] as const)
      write(keyOf(userId, name), text);
});

const left = () => Object.keys(localStorage);

it('keeps of others no words', () => {
  forgetOthers('ann');
  expect(left()).toEqual([
    'theme',
    ...['conversations', 'views own', 'single keys'].map((name) => keyOf('ann', name)),
    keyOf('anna', 'single keys'),
  ]);
  expect(read(keyOf('ann', 'conversations'))).toBe('["a word"]');
});

it('keeps of nobody words where nobody is signed in', () => {
  forgetOthers(null);
  expect(left()).toEqual(['theme', keyOf('ann', 'single keys'), keyOf('anna', 'single keys')]);
});
