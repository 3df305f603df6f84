/** Frames as https://www.rfc-editor.org/rfc/rfc8878 has them; this Node may write none itself. */

/** What the frames below hold. */
export const zstdText = `{"model":"a","messages":[{"role":"user","content":"${'again and again '.repeat(20)}and once more."}]}`;

/** Two frames of zstd's own, each compressed, with its size and a checksum. */
export const twoFrames = Buffer.from(
  'KLUv/WRzADUCAJQDeyJtb2RlbCI6ImEiLCJtZXNzYWdlcyI6W3sicm9sZSI6InVzZXIiLCJjb250ZW50Z2FpbiBhbmQgAwAsMxVo8QNsVVD65eBJKLUv/SQSkQAAYW5kIG9uY2UgbW9yZS4ifV19OrtNIw==',
  'base64',
);

interface Block {
  /** 0: as it is, 1: one byte many times, 2: compressed. */
  readonly type: 0 | 1 | 2 | 3;
  /** As its header says. */
  readonly size: number;
  readonly bytes: Uint8Array;
}

/** A frame without a size and a checksum. `windowLog`: its window has 2 to the power of that bytes. */
export function zstdFrame(blocks: readonly Block[], windowLog = 20): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3]);
  const written = blocks.flatMap(({ type, size, bytes }, index) => {
    const said = Buffer.alloc(3);
    said.writeUIntLE(size * 8 + type * 2 + (index === blocks.length - 1 ? 1 : 0), 0, 3);
    return [said, bytes];
  });
  return Buffer.concat([header, ...written]);
}

/** A block that holds a text as it is. */
export function plainBlock(text: string): Block {
  const bytes = Buffer.from(text);
  return { type: 0, size: bytes.length, bytes };
}

/** A block of as many times the same byte. */
export function repeatedBlock(size: number): Block {
  return { type: 1, size, bytes: Buffer.from('a') };
}
