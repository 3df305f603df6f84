import { randomBytes } from 'node:crypto';
import { inCountedTurns } from '../testing/in-counted-turns';
import { packed, responseOf, unpacked } from './turn';

const mebibyte = 1_048_576;
/** As a photograph, which no compression makes smaller. */
const turn = {
  input: randomBytes(2 * mebibyte),
  output: randomBytes(2 * mebibyte),
  rest: Buffer.from('{"id":"resp_1"}'),
};

it('is packed and told in turns of the event loop, a quarter of a mebibyte in each', async () => {
  const { result: bytes, turns } = await inCountedTurns(() => packed(turn));
  expect(turns).toBeGreaterThanOrEqual(bytes.length / 262_144);
  const left = await unpacked(bytes, 5 * mebibyte);
  expect([turn.input.equals(left.input), turn.output.equals(left.output), turn.rest.equals(left.rest)]).toEqual([
    true,
    true,
    true,
  ]);
  const { result: told, turns: turnsOfTold } = await inCountedTurns(() => responseOf(turn));
  expect(turnsOfTold).toBeGreaterThanOrEqual(8);
  expect(told.equals(Buffer.concat([Buffer.from('{"id":"resp_1","output":'), turn.output, Buffer.from('}')]))).toBe(
    true,
  );
});
