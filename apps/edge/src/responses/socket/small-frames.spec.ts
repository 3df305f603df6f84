import { SmallFrames } from './small-frames';

const mostBytes = 1_000_000;
const mask = Buffer.from([1, 20, 250, 7]);

interface Frame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly payload: Buffer;
}

/** Unmasks, and masks. */
function masked(payload: Buffer): Buffer {
  return Buffer.from(payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0)));
}

function written({ opcode, isLast, payload }: Frame): Buffer {
  const { length } = payload;
  const first = (isLast ? 0x80 : 0) | opcode;
  const head = length < 126 ? Buffer.from([first, 0x80 | length]) : Buffer.alloc(length > 65_535 ? 10 : 4, first);
  if (length > 65_535) head.writeBigUInt64BE(BigInt(length), 2);
  else if (length > 125) head.writeUInt16BE(length, 2);
  if (length > 125) head[1] = 0x80 | (length > 65_535 ? 127 : 126);
  return Buffer.concat([head, mask, masked(payload)]);
}

function read(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length;) {
    const [first, code] = [bytes.readUInt8(at), bytes.readUInt8(at + 1) & 0x7f];
    const begin = at + (code === 127 ? 10 : code === 126 ? 4 : 2);
    const long = code === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : bytes.readUInt16BE(at + 2);
    const length = code > 125 ? long : code;
    expect(bytes.subarray(begin, begin + 4).equals(mask)).toBe(true);
    at = begin + 4 + length;
    frames.push({ opcode: first & 15, isLast: first > 127, payload: masked(bytes.subarray(begin + 4, at)) });
  }
  return frames;
}

function cut(bytes: Buffer, chunk = bytes.length): Buffer {
  const frames = new SmallFrames(mostBytes);
  const told: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunk)
    told.push(...frames.cut(Buffer.from(bytes.subarray(at, at + chunk))));
  return Buffer.concat(told);
}

const payload = (length: number) => Buffer.from(Array.from({ length }, (_, at) => (at * 7) % 251));
const frame = (opcode: number, isLast: boolean, length: number): Frame => ({
  opcode,
  isLast,
  payload: payload(length),
});

it.each([1, 13, 65_536, 1_000_000])(
  'tells the same messages in frames of 128 KiB, of bytes, however they came: %i bytes at once',
  (chunk) => {
    const sent = [
      frame(1, true, 5),
      frame(9, true, 125),
      frame(1, true, 131_073),
      frame(1, false, 400_000),
      frame(10, true, 0),
      frame(0, false, 0),
      frame(0, true, 262_144),
      frame(2, true, 300),
    ];
    const told = read(cut(Buffer.concat(sent.map(written)), chunk));
    expect(Math.max(...told.map((each) => each.payload.length))).toBe(131_072);
    expect(told.map(({ opcode, isLast, payload: { length } }) => [opcode, isLast, length])).toEqual([
      [2, true, 5],
      [9, true, 125],
      [2, false, 131_072],
      [0, true, 1],
      [2, false, 131_072],
      [0, false, 131_072],
      [0, false, 131_072],
      [0, false, 6_784],
      [10, true, 0],
      [0, false, 0],
      [0, false, 131_072],
      [0, true, 131_072],
      [2, true, 300],
    ]);
    const all = (frames: readonly Frame[]) => Buffer.concat(frames.map((each) => each.payload));
    expect(all(told).equals(all(sent))).toBe(true);
  },
);

it.each([1, 100, 65_536])(
  'counts what comes of messages, with what comes between their fragments: %i at once',
  (chunk) => {
    const frames = new SmallFrames(mostBytes);
    const sent = [
      frame(9, true, 125),
      frame(1, false, 140_000),
      frame(10, true, 125),
      frame(0, true, 0),
      frame(9, true, 125),
      frame(2, true, 3),
      frame(10, true, 0),
    ].map(written);
    const bytes = Buffer.concat(sent);
    for (let at = 0; at < bytes.length; at += chunk) frames.cut(Buffer.from(bytes.subarray(at, at + chunk)));
    expect(frames.messageBytes).toBe(140_014 + 131 + 6 + 9);
  },
);

it.each([
  [4_096, 1, false],
  [4_097, 1, true],
  [4_097, 64, false],
])('knows crumbs: %i fragments of %i bytes', (count, length, isInCrumbs) => {
  const frames = new SmallFrames(mostBytes);
  const fragments = Array.from({ length: count }, (_, at) => written(frame(at === 0 ? 1 : 0, false, length)));
  frames.cut(Buffer.concat(fragments));
  expect(frames.isInCrumbs).toBe(isInCrumbs);
  frames.cut(Buffer.concat([written(frame(0, true, 1)), written(frame(1, true, 1))]));
  expect(frames.isInCrumbs).toBe(false);
});

it.each([
  ['is too long', written(frame(2, true, mostBytes + 1))],
  ['is longer than a number can tell', Buffer.from([0x82, 0xff, ...Array<number>(12).fill(255)])],
  ['is not masked', Buffer.from([0x82, 0x7f, 0, 0, 0, 0, 0, 3, 0, 0, 1, 2, 3])],
  ['is no frame of data', written(frame(9, true, 200_000))],
])('leaves to be refused what %s', (_what, bytes) => {
  expect(cut(bytes).equals(bytes)).toBe(true);
});
