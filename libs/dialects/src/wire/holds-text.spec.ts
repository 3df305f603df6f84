import { holdsMatch, holdsText } from './holds-text';

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
