import { zstdBounds } from './zstd-bounds';
import { plainBlock, repeatedBlock, twoFrames, zstdFrame, zstdText } from './zstd.fixture';

const mebibyte = 1_048_576;
const kibibytes128 = 131_072;
const broken = { status: 400, message: 'The request body cannot be decompressed.' };
/** A frame whose header says how much it holds, in a window of that size. */
const sized = (size: number, ...rest: number[]) => Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, size, ...rest]);
const skipped = Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9]);

function refusal(bytes: Buffer): unknown {
  try {
    return zstdBounds(bytes);
  } catch (error) {
    return error;
  }
}

describe('how much frames of zstd hold', () => {
  it.each([
    ['what is told by their headers', twoFrames, zstdText.length, zstdText.length],
    ['blocks as they are', zstdFrame([plainBlock('ab'), plainBlock('c')]), 3, 3],
    ['one byte many times', zstdFrame([repeatedBlock(kibibytes128), repeatedBlock(9)]), 131_081, 131_081],
    ['a compressed block', zstdFrame([{ type: 2, size: 1, bytes: Buffer.alloc(1) }]), 0, kibibytes128],
    ['one in a small window', zstdFrame([{ type: 2, size: 1, bytes: Buffer.alloc(1) }], 10), 0, 1_024],
    ['what is to be passed over', Buffer.concat([skipped, zstdFrame([plainBlock('a')]), skipped]), 1, 1],
    ['nothing', Buffer.alloc(0), 0, 0],
    ['the largest window', zstdFrame([plainBlock('a')], 23), 1, 1],
  ])('is found: %s', (_name, bytes, least, most) => {
    expect(zstdBounds(bytes)).toEqual({ least, most });
  });

  it.each([
    ['no frame', Buffer.from('no archive')],
    ['less than a header', twoFrames.subarray(0, 3)],
    ['a frame that is cut off', twoFrames.subarray(0, -1)],
    ['a block that is cut off', zstdFrame([plainBlock('ab')]).subarray(0, -1)],
    ['what follows the last frame', Buffer.concat([twoFrames, Buffer.from('{')])],
    ['a block of no kind', zstdFrame([{ type: 3, size: 0, bytes: Buffer.alloc(0) }])],
    ['less than its header says', sized(9, 1 + (1 << 3), 0, 0, 0x61)],
    ['more than its header says', sized(1, 1 + (2 << 3), 0, 0, 0x61, 0x61)],
    ['a window beyond that of HTTP', zstdFrame([plainBlock('a')], 24)],
    ['a window of 128 MiB', zstdFrame([plainBlock('a')], 27)],
    ['a bit that is reserved', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x08, 0, 1, 0, 0])],
  ])('is not found of %s', (_name, bytes) => {
    expect(refusal(bytes)).toMatchObject(broken);
  });

  it('is not looked for in blocks without end that hold nearly nothing', () => {
    const empty = zstdFrame(new Array(4_097).fill(plainBlock('')));
    expect(refusal(empty)).toMatchObject({ status: 400, message: expect.stringContaining('4096 blocks') });
    const many = Buffer.concat(new Array<Buffer>(4_097).fill(skipped));
    expect(refusal(many)).toMatchObject({ status: 400, message: expect.stringContaining('4096 blocks') });
    expect(zstdBounds(zstdFrame(new Array(4_097).fill(plainBlock('a'.repeat(1_024))))).most).toBeGreaterThan(mebibyte);
  });
});
