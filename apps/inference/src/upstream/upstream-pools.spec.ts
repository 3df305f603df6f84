import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { requestBody } from './upstream-pools';

const large = 65_536;
const source = Buffer.alloc(5 * large, 'x');
const text = (words: string) => Buffer.from(words);

/** The pieces that the socket is given. */
async function writtenOf(pieces: readonly Uint8Array[]): Promise<Buffer[]> {
  const body = requestBody(pieces);
  if (!(body instanceof Readable)) return [Buffer.from(body.buffer, body.byteOffset, body.length)];
  const written: Buffer[] = [];
  body.on('data', (piece: Buffer) => written.push(piece));
  await new Promise((resolve) => body.on('end', resolve));
  return written;
}

const lengths = (pieces: readonly Buffer[]) => pieces.map(({ length }) => length);

it('sends what is large from where it lies', async () => {
  const picture = source.subarray(10, 10 + 2 * large);
  const written = await writtenOf([text('{"model":'), text('"m",'), picture, text('}')]);
  expect(lengths(written)).toEqual([13, 2 * large, 1]);
  expect(written[1]?.buffer).toBe(source.buffer);
});

it('sends small pieces together, however many they are', async () => {
  expect(lengths(await writtenOf(Array.from({ length: 1_000 }, () => text('[]'))))).toEqual([2_000]);
  expect(requestBody([text('{'), text('}')])).toEqual(text('{}'));
  expect(requestBody([])).toHaveLength(0);
});

it('takes pieces that follow each other in memory for one', async () => {
  const [whole] = await writtenOf([source.subarray(0, 3), source.subarray(3, 4), source.subarray(4)]);
  expect([whole?.buffer, whole?.length]).toEqual([source.buffer, source.length]);
});

it('lies in memory that threads share as well', async () => {
  const shared = Buffer.from(new SharedArrayBuffer(2 * large)).fill('y');
  const [, piece] = await writtenOf([text('['), shared]);
  expect(piece?.buffer).toBe(shared.buffer);
});

it('gives all of it at once, whoever asks for less', async () => {
  const body = requestBody([text('['), source, text(']')]);
  if (!(body instanceof Readable)) throw new Error('it is one piece');
  body.on('data', () => body.pause());
  expect((await buffer(body)).toString()).toBe(`[${String(source)}]`);
});
