import { gzipSync } from 'node:zlib';
import { decompressed } from './compressed';

const large = Buffer.from('a picture '.repeat(600_000));

describe('what is kept, decompressed', () => {
  it('comes in one piece, however large it is', async () => {
    const whole = await decompressed(gzipSync(large), large.length);
    expect(whole.equals(large)).toBe(true);
    // It lies where zlib wrote it, in one byte more: several pieces are copied together into just enough.
    expect(whole.buffer.byteLength).toBe(large.length + 1);
  });

  it('is refused where it is larger than it may be, whatever is said at its end, or is nothing', async () => {
    await expect(decompressed(gzipSync(large), large.length - 1)).rejects.toThrow('larger than');
    const liar = gzipSync(large);
    liar.writeUInt32LE(10, liar.length - 4);
    await expect(decompressed(liar, large.length)).rejects.toThrow('incorrect length');
    await expect(decompressed(Buffer.from('no'), 100)).rejects.toThrow();
  });

  it.each([0, 1, 64])('comes back as it was: %i bytes', async (bytes) => {
    const short = Buffer.alloc(bytes, 'x');
    expect(await decompressed(gzipSync(short), 64)).toEqual(short);
  });
});
