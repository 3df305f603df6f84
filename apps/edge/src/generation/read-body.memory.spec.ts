import { FairMemory } from '@tollgate/messaging';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { CallerLeft, readBody } from './read-body';

const mebibyte = 1_048_576;

/** A request whose body never comes, of a small one that was announced. */
function upload() {
  const stream = new PassThrough();
  const headers = { 'content-length': String(mebibyte) };
  return { stream, request: Object.assign(stream, { headers }) as unknown as IncomingMessage };
}

afterEach(() => jest.restoreAllMocks());

it('is not there while the body is only announced', async () => {
  const memory = new FairMemory(64 * mebibyte);
  const lent = jest.spyOn(memory.buffers, 'lend');
  const room = { limit: mebibyte, memory, owner: { keyId: 'key', accountId: 'account' } };
  const before = process.memoryUsage().arrayBuffers;
  const uploads = Array.from({ length: 20 }, upload);
  const left = uploads.map(({ request }) => expect(readBody(request, room)).rejects.toBeInstanceOf(CallerLeft));
  await new Promise((resolve) => setImmediate(resolve));
  expect(lent).not.toHaveBeenCalled();
  // Nor is it taken otherwise; what else runs in this process takes a little.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan((uploads.length / 2) * mebibyte);
  for (const { stream } of uploads) stream.destroy();
  await Promise.all(left);
  expect(memory.usedBytes).toBe(0);
});
