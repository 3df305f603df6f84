import { FairMemory } from '@tollgate/messaging';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { CallerLeft, readBody } from './read-body';

const mebibyte = 1_048_576;
/** Node itself takes memory as our bodies do, in smaller pieces. */
const leastBytes = 131_072;

/** A request whose body is fed by the test, of a small one that was announced. */
function upload(bytes: number) {
  const stream = new PassThrough();
  const headers = { 'content-length': String(bytes) };
  return { stream, request: Object.assign(stream, { headers }) as unknown as IncomingMessage };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const room = (memory: FairMemory) => ({ limit: mebibyte, memory, owner: { keyId: 'key', accountId: 'account' } });

/** The lengths that all memory of bodies has now: none, where it was given back. */
function lengths(allocated: jest.SpiedFunction<typeof Buffer.allocUnsafeSlow>): number[] {
  return allocated.mock.calls.flatMap(([bytes], at) => {
    const { value }: { value?: Buffer } = allocated.mock.results[at] ?? {};
    return bytes < leastBytes || !value ? [] : [value.length];
  });
}

describe('the memory of a small body', () => {
  let allocated: jest.SpiedFunction<typeof Buffer.allocUnsafeSlow>;
  beforeEach(() => (allocated = jest.spyOn(Buffer, 'allocUnsafeSlow')));
  afterEach(() => jest.restoreAllMocks());

  it('goes where the body stalled, whose caller left', async () => {
    const { stream, request } = upload(mebibyte / 2);
    const body = readBody(request, room(new FairMemory(2 * mebibyte)));
    stream.write(Buffer.alloc(mebibyte / 4));
    await turn();
    expect(lengths(allocated)).toEqual([mebibyte / 2]);
    stream.destroy();
    await expect(body).rejects.toBeInstanceOf(CallerLeft);
    expect(lengths(allocated)).toEqual([0]);
  });

  it('is not there while the body is only announced', async () => {
    const memory = new FairMemory(64 * mebibyte);
    const before = process.memoryUsage().arrayBuffers;
    const uploads = Array.from({ length: 20 }, () => upload(mebibyte));
    const left = uploads.map(({ request }) =>
      expect(readBody(request, room(memory))).rejects.toBeInstanceOf(CallerLeft),
    );
    await turn();
    expect(lengths(allocated)).toEqual([]);
    // Nor is it taken otherwise; what else runs in this process takes a little.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan((uploads.length / 2) * mebibyte);
    for (const { stream } of uploads) stream.destroy();
    await Promise.all(left);
    expect(memory.usedBytes).toBe(0);
  });
});
