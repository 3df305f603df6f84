import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { BodyMemory } from './body-memory';
import { CallerLeft, readBody } from './read-body';

/** A request whose body is fed by the test. */
function upload(headers: Record<string, string> = {}) {
  const stream = new PassThrough();
  return { stream, request: Object.assign(stream, { headers }) as unknown as IncomingMessage };
}

describe('reading a body', () => {
  it('returns all of it, whatever the pieces, and counts it until it is freed', async () => {
    const memory = new BodyMemory(100);
    const { stream, request } = upload();
    const body = readBody(request, 10, memory);
    for (const piece of ['ab', 'cd', 'e']) stream.write(piece);
    stream.end();
    expect((await body).toString()).toBe('abcde');
    expect(memory.usedBytes).toBe(5);
  });

  it('refuses one byte too many, announced or not, and holds none of it', async () => {
    const memory = new BodyMemory(100);
    await expect(readBody(upload({ 'content-length': '11' }).request, 10, memory)).rejects.toMatchObject({
      status: 413,
    });
    const { stream, request } = upload();
    const body = readBody(request, 10, memory);
    stream.write('x'.repeat(10));
    stream.end('y');
    await expect(body).rejects.toMatchObject({ status: 413 });
    expect(memory.usedBytes).toBe(0);
  });

  it('sheds load when bodies take too much memory in all', async () => {
    const memory = new BodyMemory(6);
    const first = upload();
    const held = readBody(first.request, 10, memory);
    first.stream.end('12345');
    await held;
    const second = upload();
    const body = readBody(second.request, 10, memory);
    second.stream.end('12');
    await expect(body).rejects.toMatchObject({ status: 503, retryAfterS: 2 });
    expect(memory.usedBytes).toBe(5);
  });

  it('stops waiting when the caller leaves, also before it began', async () => {
    const memory = new BodyMemory(100);
    const { stream, request } = upload();
    const body = readBody(request, 10, memory);
    stream.write('abc');
    setImmediate(() => stream.destroy());
    await expect(body).rejects.toBeInstanceOf(CallerLeft);
    expect(memory.usedBytes).toBe(0);
    await expect(readBody(request, 10, memory)).rejects.toBeInstanceOf(CallerLeft);
  });
});
