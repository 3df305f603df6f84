import { Readable } from 'node:stream';
import { TooLarge, wholeBody } from './sandbox';

const kibibyte = 1_024;
const pieces = Array.from({ length: 100 }, (_, index) => Buffer.alloc(64 * kibibyte, index));
const length = 6_400 * kibibyte;

it('is written where it will lie as it comes, and not copied together at its end', async () => {
  const copied: number[] = [];
  async function* coming() {
    for (const bytes of pieces) {
      const piece = Buffer.from(bytes);
      const copy = jest.spyOn(piece, 'copy');
      yield piece;
      copied.push(copy.mock.calls.length);
    }
  }
  const whole = await wholeBody(coming(), length, length);
  expect(copied).toEqual(pieces.map(() => 1));
  expect(whole.equals(Buffer.concat(pieces))).toBe(true);
});

it.each([0, 5, length])('is whole where %d bytes of it were announced', async (announced) => {
  const whole = await wholeBody(Readable.from(pieces), announced, 2 * length);
  expect(whole.equals(Buffer.concat(pieces))).toBe(true);
});

it.each([0, length])('is refused where it is too large and %d bytes of it were announced', async (announced) => {
  await expect(wholeBody(Readable.from(pieces), announced, length - 1)).rejects.toThrow(TooLarge);
});
