import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { countBySample, countTextTokens } from './o200k';

/** Runs of more than 128 letters or signs are counted in parts, so none is as long. */
const words = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.constantFrom(
      ' the',
      ' Gateways’',
      "don't ",
      ' съешь',
      'булок ',
      '我能吞下',
      'สวัสดี',
      'नमस्ते',
      '👨‍👩‍👧‍👦',
      '\r\n\t ',
      '  ',
      '==',
      '1234',
    ),
  ),
  { maxLength: 12 },
);

it('counts as OpenAI’s tokenizer does', () => {
  expect(countTextTokens('')).toBe(0);
  expect(countTextTokens('hello world')).toBe(2);
  expect(countTextTokens('antidisestablishmentarianism')).toBe(6);
});

it('counts any text as another tokenizer does', () => {
  const plainText = { disallowedSpecial: new Set<string>() };
  fc.assert(
    fc.property(words, (some) => {
      // The other one loses the bytes of a mark of byte order, which are a token here.
      const text = some.join('').replaceAll('\ufeff', '').slice(0, 120);
      expect(countTextTokens(text)).toBe(countTokens(text, plainText));
    }),
  );
});

it('counts a mark of byte order', () => expect(countTextTokens('\ufeffabc')).toBe(2));

it('takes control tokens in a text for text', () => expect(countTextTokens('<|endoftext|>')).toBeGreaterThan(1));

it('does not choke on unbroken runs', () => {
  const runs = ['a', ' ', '=', 'ก็', '/\n'].map((unit) => `=${unit.repeat(100_000 / unit.length)}`);
  for (const text of runs) {
    expect(countTextTokens(text)).toBeGreaterThan(100);
  }
});

it('extrapolates beyond 200,000 characters', () => {
  const text = 'hello world '.repeat(50_000);
  expect(countTextTokens(text) / 100_000).toBeCloseTo(1, 1);
});

describe('the texts of one body', () => {
  const repeated = (count: number, word: string) => `${word} `.repeat(count);
  const mixed = Array.from(
    { length: 400 },
    (_, index) =>
      [
        repeated(400, 'the quick brown fox'),
        '{"name":"look","arguments":{"path":"src/index.ts"}}',
        repeated(30, 'съешь ещё этих мягких булок'),
        'x',
      ][index % 4] as string,
  );
  const sumOf = (texts: readonly string[]) => texts.reduce((sum, text) => sum + countTextTokens(text), 0);
  const sizeOf = (texts: readonly string[]) => Buffer.byteLength(texts.join(''));
  const sampled = (texts: readonly string[]) => countBySample(sizeOf(texts), () => sumOf(texts));

  it('are counted exactly where they are few', () => {
    const few = mixed.slice(0, 6);
    expect(sizeOf(few)).toBeLessThan(50_000);
    expect(sampled(few)).toBe(sumOf(few));
  });

  it('are counted by samples where they are many, within a tenth of what they are', () => {
    expect(sizeOf(mixed)).toBeGreaterThan(900_000);
    expect(sampled(mixed) / sumOf(mixed)).toBeCloseTo(1, 1);
    expect(sampled([...mixed].reverse()) / sumOf(mixed)).toBeCloseTo(1, 1);
  });

  it.each([
    ['long ones', Array.from({ length: 30 }, () => repeated(40_000, 'quick'))],
    ['tiny ones', new Array<string>(100_000).fill('a tiny one')],
  ])('take no more of the tokenizer than a small body does: %s', (_what, texts) => {
    const looked = jest.spyOn(String.prototype, 'matchAll');
    sampled(texts);
    const characters = looked.mock.contexts.reduce<number>((sum, text) => sum + String(text).length, 0);
    looked.mockRestore();
    // We look for long runs in them, and then the tokenizer for words.
    expect(characters / 2).toBeGreaterThan(20_000);
    expect(characters / 2).toBeLessThanOrEqual(50_000);
  });

  it('are counted exactly again afterwards, also where counting failed', () => {
    const failing = () => countBySample(1e9, () => JSON.parse('no') as number);
    expect(failing).toThrow(SyntaxError);
    const text = repeated(40_000, 'quick');
    expect(countTextTokens(text)).toBe(countBySample(1, () => countTextTokens(text)));
  });
});
