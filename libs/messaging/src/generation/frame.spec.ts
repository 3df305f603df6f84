import fc from 'fast-check';
import { z } from 'zod';
import {
  FrameError,
  decodeMessage,
  frameHeaderBytes,
  frameTypes,
  messageHead,
  writeFrameHeader,
  type Frame,
} from './frame';
import { RepeatedPayloads, toPayload } from './frame-json';

const u32 = fc.integer({ min: 0, max: 0xffff_ffff });
const frame: fc.Arbitrary<Frame> = fc.record({
  type: fc.constantFrom(...Object.values(frameTypes)),
  stream: u32,
  number: u32,
  payload: fc.uint8Array({ maxLength: 200 }),
});
const sender = fc.stringMatching(/^[\w-]{1,64}$/);

function encode(from: string, frames: readonly Frame[]): Buffer {
  const parts: Uint8Array[] = [messageHead(from)];
  for (const { type, stream, number, payload } of frames) {
    const header = Buffer.alloc(frameHeaderBytes);
    writeFrameHeader(header, 0, type, stream, number, payload.length);
    parts.push(header, payload);
  }
  return Buffer.concat(parts);
}

describe('the frame codec', () => {
  it('reads back every message that it writes', () => {
    fc.assert(
      fc.property(sender, fc.array(frame, { maxLength: 20 }), (from, frames) => {
        const read = decodeMessage(encode(from, frames));
        expect(read.sender).toBe(from);
        expect(read.frames.map((each) => ({ ...each, payload: Uint8Array.from(each.payload) }))).toEqual(
          frames.map((each) => ({ ...each, payload: Uint8Array.from(each.payload) })),
        );
      }),
    );
  });

  it('reads a message wherever it lies in a larger buffer', () => {
    fc.assert(
      fc.property(sender, frame, fc.nat(50), (from, each, before) => {
        const message = encode(from, [each]);
        const larger = Buffer.concat([Buffer.alloc(before, 0xff), message, Buffer.alloc(7, 0xff)]);
        const read = decodeMessage(larger.subarray(before, before + message.length));
        expect(Buffer.from(read.frames[0]?.payload ?? []).equals(Buffer.from(each.payload))).toBe(true);
      }),
    );
  });

  it('passes over frames of types that it does not know, which newer peers send', () => {
    fc.assert(
      fc.property(frame, frame, fc.integer({ min: 100, max: 255 }), (first, last, type) => {
        const message = encode('newer', [first, last, last]);
        message[messageHead('newer').length + frameHeaderBytes + first.payload.length] = type;
        expect(decodeMessage(message).frames.map((each) => each.type)).toEqual([first.type, last.type]);
      }),
    );
  });

  it('refuses a message cut off anywhere but between two frames', () => {
    fc.assert(
      fc.property(sender, fc.array(frame, { minLength: 1, maxLength: 5 }), fc.nat(), (from, frames, at) => {
        const whole = encode(from, frames);
        const cut = whole.subarray(0, at % whole.length);
        const boundaries = frames.map((_, index) => encode(from, frames.slice(0, index)).length);
        if (boundaries.includes(cut.length)) expect(decodeMessage(cut).frames.length).toBeLessThan(frames.length);
        else expect(() => decodeMessage(cut)).toThrow(FrameError);
      }),
    );
  });

  it('answers garbage with a FrameError or with frames, and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expectFramesOrFrameError(bytes);
      }),
    );
  });

  it('answers a message with one byte changed likewise', () => {
    fc.assert(
      fc.property(sender, fc.array(frame, { maxLength: 5 }), fc.nat(), fc.nat(255), (from, frames, at, value) => {
        const message = encode(from, frames);
        message[at % message.length] = value;
        expectFramesOrFrameError(message);
      }),
    );
  });

  it('refuses a sender that is not fit for a NATS subject', () => {
    for (const id of ['', 'a.b', 'a b', '>', 'x'.repeat(65)]) expect(() => messageHead(id)).toThrow(RangeError);
  });
});

describe('payloads that come again and again', () => {
  const payloads = new RepeatedPayloads(z.object({ name: z.string() }));

  it('are read once, and each as what it says', () => {
    const first = payloads.read(toPayload({ name: 'ä' }));
    expect(first).toEqual({ name: 'ä' });
    expect(payloads.read(toPayload({ name: 'ä' }))).toBe(first);
    for (let count = 0; count < 1_000; count++)
      expect(payloads.read(toPayload({ name: `n${count}` })).name).toBe(`n${count}`);
    expect(payloads.read(toPayload({ name: 'x'.repeat(2_000) })).name).toHaveLength(2_000);
  });

  it('are refused each time they do not have their shape', () => {
    for (let time = 0; time < 2; time++) expect(() => payloads.read(toPayload({ name: 1 }))).toThrow(FrameError);
  });
});

function expectFramesOrFrameError(bytes: Uint8Array): void {
  try {
    for (const { payload } of decodeMessage(bytes).frames) expect(payload.length).toBeLessThanOrEqual(bytes.length);
  } catch (error) {
    expect(error).toBeInstanceOf(FrameError);
  }
}
