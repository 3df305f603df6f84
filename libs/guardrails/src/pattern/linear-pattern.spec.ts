import fc from 'fast-check';
import { LinearPattern } from './linear-pattern';
import { PatternError } from './parse-pattern';

const found = (source: string, text: string, ignoreCase = false) =>
  new LinearPattern(source, ignoreCase).findAll(text).map(({ start, end }) => text.slice(start, end));

describe('a pattern', () => {
  it.each([
    ['ACME-\\d{4}', 'ACME-12 ACME-1234 xACME-56789', ['ACME-1234', 'ACME-5678']],
    ['\\bcat\\b', 'cat concat cats a cat', ['cat', 'cat']],
    ['(?:red|green|greenish) (house|car)s?', 'a greenish house, red cars', ['greenish house', 'red cars']],
    ['[^a-c\\s]+', 'abcxyz -q b', ['xyz', '-q']],
    ['a.c', 'abc a\nc aüc', ['abc', 'aüc']],
    ['x{2,3}', 'x xx xxx xxxxx', ['xx', 'xxx', 'xxx', 'xx']],
    ['\\u00fc\\x41\\.', 'üA. üAx', ['üA.']],
    ['[\\w.-]+@[\\w-]+', 'mail to a.b-c@d_e now', ['a.b-c@d_e']],
    ['\\Bend', 'end weekend', ['end']],
  ])('%s finds what begins first, and of that the longest', (source, text, matches) => {
    expect(found(source, text)).toEqual(matches);
  });

  it('ignores case where it shall', () => {
    expect(found('straße [a-c]', 'STRAßE B', true)).toEqual(['STRAßE B']);
    expect(found('[^x]y', 'Xy zy', true)).toEqual(['zy']);
  });

  it.each([
    ['(?=a)b', 'looks ahead'],
    ['(?<n>a)', 'names a group'],
    ['(a)\\1', 'refers back'],
    ['a*?', 'lazy'],
    ['^a', 'comes in pieces'],
    ['a$', 'comes in pieces'],
    ['a*', 'empty text'],
    ['\\b', 'empty text'],
    ['(a', 'without its )'],
    ['a)', 'too many'],
    ['[a', 'without its ]'],
    ['[]', 'empty set'],
    ['*a', 'repeats nothing'],
    ['a**', 'repeats a repetition'],
    ['a{3,2}', 'wrong way round'],
    ['a{999}', 'more than 200 times'],
    ['((a{100}){100}){100}', 'too large'],
    ['\\q', 'not known'],
    ['[z-a]', 'range'],
    ['\\u12', 'hexadecimal'],
    ['a'.repeat(1_001), 'longer than'],
  ])('%s is refused', (source, why) => {
    expect(() => new LinearPattern(source)).toThrow(PatternError);
    expect(() => new LinearPattern(source)).toThrow(why);
  });

  it.each(['(a+)+b', '(a|a)*b', '(a|aa)+b', '(.*.*.*)=b', '([a-z]+)*[0-9]'])(
    'that ruins a backtracking engine costs no more than its length: %s',
    (source) => {
      const beganMs = performance.now();
      expect(found(source, 'a'.repeat(20_000))).toEqual([]);
      expect(performance.now() - beganMs).toBeLessThan(20_000);
    },
  );
});

it('does not take long on a text that is nothing but matches: the rest of it is one', () => {
  const text = 'fox a dog '.repeat(200_000);
  const matches = new LinearPattern('fox.{1,100}dog', false, 128).findAll(text);
  expect(matches).toHaveLength(1_001);
  expect(matches.at(-1)?.end).toBe(text.length);
});

it('has no match that is longer than it may be', () => {
  const found = new LinearPattern('a+', false, 5).findAll(`${'a'.repeat(12)} aa`);
  expect(found.map(({ start, end }) => end - start)).toEqual([5, 5, 2, 2]);
});

it('begins where the engine of the language finds a match, for any pattern and text', () => {
  const atom = fc.constantFrom('a', 'b', '[ab]', '[^a]', '.', '(?:ab)', '(?:a|bc)', '\\w', '\\b');
  const times = fc.constantFrom('', '', '+', '?', '{2}', '{1,2}', '{2,}');
  const piece = fc.tuple(atom, times).map(([one, many]) => (one === '\\b' ? one : one + many));
  const pattern = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => `c${pieces.join('')}`);
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' '), maxLength: 30 });
  fc.assert(
    fc.property(pattern, text, (source, where) => {
      const expected = new RegExp(source).exec(where);
      const [first] = new LinearPattern(source).findAll(where);
      expect(first?.start ?? null).toBe(expected?.index ?? null);
      if (!first || !expected) return;
      expect(first.end).toBeGreaterThanOrEqual(expected.index + expected[0].length);
      // The whole of what was found is a match too.
      expect(where.slice(first.start, first.end)).toMatch(new RegExp(`^(?:${source.replaceAll('\\b', '')})$`));
    }),
    { numRuns: 2_000 },
  );
});
