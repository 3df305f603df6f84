import { holdsMatch, holdsText, outlineOf } from './holds-text';

const filler = 'x'.repeat(5_000);

it.each([
  ['a text in the middle', `${filler}"signature":""${filler}`, '"signature":""', true],
  ['a text at the end', `${filler}"tools"`, '"tools"', true],
  ['a text that is cut off at the end', `${filler}"tool`, '"tools"', false],
  ['a beginning alone', `${filler}"reasoned"${filler}`, '"reasoning_content"', false],
  ['a text behind thousands of its beginnings', '"reaso '.repeat(5_000) + '"reasoning"', '"reasoning"', true],
  ['thousands of its beginnings alone', '"reaso '.repeat(5_000), '"reasoning"', false],
  ['letters of several bytes', `${filler}"größe"`, '"größe"', true],
  ['nothing', '', '"tools"', false],
])('finds what is there: %s', (_name, bytes, text, found) => {
  expect(holdsText(Buffer.from(bytes), text)).toBe(found);
});

it.each([
  ['one that is there', `${filler}"id" : "a_1"`, true],
  ['one behind others that are not it', '"id":"b_1",'.repeat(1_000) + '"id":"a_1"', true],
  ['none', '"id":"b_1","other":"a_1"', false],
  ['one that has no beginning', 'id":"a_1"', false],
])('finds what matches from a beginning on: %s', (_name, bytes, found) => {
  expect(holdsMatch(Buffer.from(bytes), '"id"', /"id"\s*:\s*"a_/)).toBe(found);
});

it('finds what matches wherever it stands in a body', () => {
  for (let at = 0; at < 2_500; at++) {
    const body = `"id":"b_1",${'x'.repeat(at)}"id" : "a_1"`;
    expect(holdsMatch(Buffer.from(body), '"id"', /"id"\s*:\s*"a_/)).toBe(true);
  }
});

it.each(['"id":"b_1",', '"id"'])('reads a body that is full of beginnings (%s) once, by and by', (text) => {
  const body = Buffer.from(text.repeat(20_000));
  const copy = jest.spyOn(body, 'toString');
  expect(holdsMatch(body, '"id"', /"id"\s*:\s*"a_/)).toBe(false);
  const lengths = copy.mock.results.map(({ value }) => String(value).length);
  expect(lengths.length).toBeLessThan(body.length / 1_000);
  expect(Math.max(...lengths)).toBeLessThan(2_000);
});

const picture = 'A'.repeat(1_000_000);
const lengthOf = (pieces: readonly Buffer[]) => pieces.reduce((sum, { length }) => sum + length, 0);

it('leaves the insides of pictures out, and finds them once for all that is looked for', () => {
  const body = Buffer.from(JSON.stringify({ input: [picture, { id: 'x' }, picture, picture], model: 'm' }));
  const outline = outlineOf(body);
  expect(lengthOf(outline)).toBeLessThan(80_000);
  expect(outlineOf(body)).toBe(outline);
  const looked = jest.spyOn(body, 'indexOf');
  for (const text of ['"id"', '"tools"', '"model":"m"', '"reasoning"']) holdsText(body, text);
  holdsMatch(body, '"id"', /"id"\s*:\s*"y"/);
  expect(looked).not.toHaveBeenCalled();
});

it.each([
  ['a picture', [picture.slice(0, 300_000)], -1],
  ['many small texts', Array.from({ length: 30_000 }, (_, at) => `text ${at}`), -1],
  ['texts of all lengths', Array.from({ length: 60 }, (_, at) => 'x'.repeat(at * 1_500)), -1],
  ['one text without an end', ['x'.repeat(400_000)], -2],
])('has all that begins with a quote, wherever it stands beside %s', (_what, texts, end) => {
  const filler = JSON.stringify(texts).slice(1, end);
  for (const text of ['"tools":[', `"call_${'c'.repeat(1_000)}"`])
    for (const body of [`${text}${filler}`, `${filler}${text}`, `${filler},${text},${filler}`]) {
      const bytes = Buffer.from(body);
      expect(holdsText(bytes, text)).toBe(true);
      expect(holdsMatch(bytes, text.slice(0, 6), /"tools":\[|"call_c{100}/)).toBe(true);
      expect(holdsText(bytes, `${text}"none"`)).toBe(false);
    }
});

it('is the body itself where that is small', () => {
  const body = Buffer.from(`{"a":"${'x'.repeat(200_000)}"}`);
  expect(outlineOf(body)).toEqual([body]);
});

it('looks into long texts for what begins with no quote', () => {
  expect(holdsText(Buffer.from(JSON.stringify([`${picture}, in the middle ${picture}`])), 'in the middle')).toBe(true);
});
