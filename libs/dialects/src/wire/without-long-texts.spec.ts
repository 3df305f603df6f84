import { withoutLongTexts } from './without-long-texts';

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
