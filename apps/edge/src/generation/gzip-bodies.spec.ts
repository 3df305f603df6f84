import { FairMemory } from '@tollgate/messaging';
import { eventually } from '@tollgate/testing';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { CallerLeft } from './caller-left';
import { readBody } from './read-body';

const mebibyte = 1_048_576;
/** Two pieces of 64 KiB, and what a decoder of gzip has by itself. */
const decoderBytes = 172_032;
const text = Buffer.alloc(mebibyte / 4, ' ');
const sent = gzipSync(text);

function stalled(memory: FairMemory) {
  const stream = new PassThrough();
  const request = Object.assign(stream, { headers: { 'content-encoding': 'gzip' } }) as unknown as IncomingMessage;
  const body = readBody(request, { limit: 32 * mebibyte, memory, owner: { keyId: 'k', accountId: 'a' } });
  stream.write(sent.subarray(0, -8));
  return { stream, body };
}

it('counts what a decoder of gzip has beside what was taken, until all has come', async () => {
  const memory = new FairMemory(64 * mebibyte);
  const { stream, body } = stalled(memory);
  await eventually(() => memory.usedBytes === text.length + decoderBytes);
  stream.end(sent.subarray(-8));
  const held = await body;
  expect(memory.usedBytes).toBe(text.length);
  held.release();
  expect(memory.usedBytes).toBe(0);
});

it('counts it no more when the caller has left', async () => {
  const memory = new FairMemory(64 * mebibyte);
  const { stream, body } = stalled(memory);
  stream.destroy();
  await expect(body).rejects.toBeInstanceOf(CallerLeft);
  expect(memory.usedBytes).toBe(0);
});

it('refuses a body whose decoder finds no room', async () => {
  const { body, stream } = stalled(new FairMemory(decoderBytes / 2));
  await expect(body).rejects.toMatchObject({ status: 503 });
  stream.destroy();
});
