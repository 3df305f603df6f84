import { holdsMatch, holdsText } from './holds-text';
import { outlineOf } from './outline';

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
