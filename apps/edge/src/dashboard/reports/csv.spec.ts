import { csvLine } from './csv';

it('quotes what needs it', () => {
  expect(csvLine(['plain', 'a,b', 'say "hi"', 'two\nlines', null, 7, true])).toBe(
    'plain,"a,b","say ""hi""","two\nlines",,7,true\r\n',
  );
});

it.each(['=1+1', '+1+1', '-1+1', '@SUM(A1)', '\t=1', "=cmd|' /C calc'!A0"])('defuses %j', (text) => {
  expect(csvLine([text])).toMatch(/^"?'/);
});

it.each([
  ['a;=1+1', "a;'=1+1"],
  ['a\n=1+1', `"a\n'=1+1"`],
  ['a\t@SUM(A1)', "a\t'@SUM(A1)"],
  ['\n=1+1', `"'\n'=1+1"`],
  ['＝1+1', "'＝1+1"],
  ['a-b; c=d', 'a-b; c=d'],
])('defuses %j also where a spreadsheet parts cells otherwise, or reads wide characters', (text, told) => {
  expect(csvLine([text])).toBe(`${told}\r\n`);
});

it('leaves numbers as they are', () => {
  expect(csvLine(['-0.000001', -5, '12'])).toBe('-0.000001,-5,12\r\n');
});
