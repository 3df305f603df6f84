import { withShortData } from './short-data';

const mebibyte = 1_048_576;
const short = (value: unknown): unknown =>
  JSON.parse(withShortData(Buffer.from(JSON.stringify(value))).toString('utf8'));

it('leaves out the middle of long data, so that what is parsed of megabytes is little, and is Base64 still', () => {
  const data = Buffer.alloc(6 * mebibyte, 'What a picture holds. ').toString('base64');
  const url = `data:image/png;base64,${data}`;
  const json = Buffer.from(JSON.stringify({ model: 'm', input: [{ image_url: url }, { text: 'Hello \\" there' }] }));
  const bytes = withShortData(json);
  expect(bytes.length).toBeLessThan(140_000);
  const { model, input } = JSON.parse(bytes.toString('utf8')) as { model: string; input: Record<string, string>[] };
  const { image_url: told = '' } = input[0] ?? {};
  expect([model, input[1], told.slice(0, 1_000), told.slice(-1_000)]).toEqual([
    'm',
    { text: 'Hello \\" there' },
    url.slice(0, 1_000),
    url.slice(-1_000),
  ]);
  const [, encoded = ''] = told.split(',');
  expect(Buffer.from(encoded, 'base64').toString('base64')).toBe(encoded);
});

it.each([
  ['text, in which controls may stand', 'word after word '.repeat(20_000)],
  ['text in a script without spaces', '文'.repeat(100_000)],
  ['data that is short', 'x'.repeat(100_000)],
  ['what is written with escapes', `${'x'.repeat(200_000)}\n`],
  ['quotes at the end of a text', ['\\', '"', '\\\\"', 'x'.repeat(10)]],
])('leaves %s as it is', (_, value) => {
  expect(short({ value })).toEqual({ value });
});

it('leaves what is no JSON to whoever parses it', () => {
  for (const text of ['', '"', '{"a":"b', 'x'.repeat(300_000)]) {
    const json = Buffer.from(text);
    expect(withShortData(json)).toBe(json);
  }
});
