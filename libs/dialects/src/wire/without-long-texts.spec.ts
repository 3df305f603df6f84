import fc from 'fast-check';
import { isBlank, WithoutLongTexts } from './without-long-texts';

function withoutLongTexts(pieces: readonly Buffer[]): Buffer {
  const reading = new WithoutLongTexts();
  for (const piece of pieces) reading.take(piece);
  return reading.end();
}

const long = (text: string) => text.repeat(Math.ceil(70_000 / text.length));

/** The same bytes, cut into pieces of so many. */
function cut(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

it.each([
  ['plain', long('word ')],
  ['full of quotes', long('say "a" ')],
  ['full of backslashes', long('\\')],
  ['that ends with a backslash', `${long('x')}\\`],
  ['that ends with a quote', `${long('x')}"`],
  ['of several bytes a character', long('größe')],
])('empties a text that is long, and nothing else, wherever it is cut: %s', (_name, text) => {
  const value = { id: 'a', text, list: [1.5, 'short \\" \\\\', { [text.slice(0, 20)]: null }], usage: { total: 3 } };
  const bytes = Buffer.from(JSON.stringify(value, null, 1));
  for (const size of [1, 7, 64, 65_536, bytes.length])
    expect(JSON.parse(withoutLongTexts(cut(bytes, size)).toString())).toEqual({ ...value, text: '' });
});

it('leaves what has no long text as it came, malformed or not', () => {
  for (const text of ['', '{"a":"b"}', '{"a":"b', '{"a":"\\"', '"', ' \n'])
    expect(withoutLongTexts([Buffer.from(text)]).toString()).toBe(text);
});

it('keeps little of what is blank, and nothing together that was apart', () => {
  const blank = ' \n\t\r'.repeat(300_000);
  const bytes = Buffer.from(`${blank}{${blank}"a${blank}":${blank}1${blank},${blank}"b":[2${blank}3]${blank}}${blank}`);
  for (const size of [1_024, 65_536]) {
    const text = withoutLongTexts(cut(bytes, size)).toString();
    expect(text.length).toBeLessThan(1_200_000);
    expect(text.replace(/\s+/g, ' ')).toBe(' { "": 1 , "b":[2 3] } ');
  }
  expect(isBlank(withoutLongTexts(cut(Buffer.from(blank), 65_536)))).toBe(true);
});

it('takes no more buffers for many short texts than came', () => {
  const text = JSON.stringify(Array.from({ length: 5_000 }, () => ({ token: ' "the\\', logprob: -0.5, long: '' })));
  const bytes = Buffer.from(text.replace('"long":""', `"long":"${long('x')}"`));
  const pieces = cut(bytes, 50_000);
  const concat = jest.spyOn(Buffer, 'concat');
  expect(withoutLongTexts(pieces).toString()).toBe(text);
  const [[kept] = [[]]] = concat.mock.calls;
  concat.mockRestore();
  expect(kept.length).toBeLessThanOrEqual(2 * pieces.length + 1);
});

it('reads any text as a walk over its bytes would', () => {
  const part = fc.constantFrom('\\', '\\\\', '\\"', '"', 'x', ',', long('y'));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), fc.integer({ min: 1, max: 100_000 }), (parts, size) => {
      const text = parts.join('');
      const expected = text.replace(/"((?:[^"\\]|\\.)*)("|\\?$)/gs, (whole: string, inside: string, end: string) =>
        inside.length + end.replace('"', '').length > 65_536 ? `"${end.endsWith('"') ? end : ''}` : whole,
      );
      expect(withoutLongTexts(cut(Buffer.from(text), size)).toString() === expected).toBe(true);
    }),
    { numRuns: 300 },
  );
});
