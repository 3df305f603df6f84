import fc from 'fast-check';
import { aRequest } from '../testing/generation-fixtures';
import { RequestContent } from './client/request-content';
import { FrameError } from './frame';
import { decodeEnvelope } from './request-envelope';
import { RequestAssembly } from './server/arrivals';

const from = { edge: 'edge-1', stream: 7, window: 1_000 };

describe('a request on its way', () => {
  it('arrives whole, however the limit of a message and of a part split it', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 3_000 }),
        fc.integer({ min: 40, max: 4_000 }),
        fc.integer({ min: 1, max: 900 }),
        fc.boolean(),
        fc.boolean(),
        (body, maxPayload, partBytes, useFirstPart, isWhole) => {
          const request = aRequest({ accept: '*/*' });
          const content = new RequestContent(request, body);
          const message = content.envelope(from, maxPayload, isWhole);
          expect(message.length).toBeLessThanOrEqual(maxPayload);
          const envelope = decodeEnvelope(message);
          expect(envelope).toMatchObject({ edge: 'edge-1', stream: 7, window: 1_000, contentBytes: content.length });
          const assembly = new RequestAssembly(envelope, useFirstPart, envelope.sentAt, null);
          while (!assembly.isComplete)
            for (const piece of content.pieces(assembly.receivedBytes, partBytes))
              assembly.add(assembly.receivedBytes, piece);
          const result = assembly.result();
          expect(result.request).toEqual(request);
          expect(Buffer.from(result.body).equals(Buffer.from(body))).toBe(true);
        },
      ),
    );
  });

  it.each([0, 15 * 60_000, -15 * 60_000])(
    'leaves it the time that it had, by a clock that is %i ms ahead',
    (aheadMs) => {
      const now = Date.now();
      const request = { ...aRequest(), startedAt: now - 1_000, deadlineAt: now + 60_000 };
      const envelope = decodeEnvelope(new RequestContent(request, Buffer.alloc(10)).envelope(from, 10_000, true));
      const receivedAt = envelope.sentAt + aheadMs;
      const { request: arrived } = new RequestAssembly(envelope, true, receivedAt, null).result();
      expect(arrived.deadlineAt - receivedAt).toBe(request.deadlineAt - envelope.sentAt);
      expect(receivedAt - arrived.startedAt).toBe(envelope.sentAt - request.startedAt);
    },
  );

  it('refuses a part that is missing or too long', () => {
    const content = new RequestContent(aRequest(), Buffer.alloc(1_000));
    const assembly = new RequestAssembly(decodeEnvelope(content.envelope(from, 500, false)), true, 0, null);
    const at = assembly.receivedBytes;
    expect(() => assembly.add(at + 1, Buffer.alloc(1))).toThrow(FrameError);
    expect(() => assembly.add(at, Buffer.alloc(content.length))).toThrow(FrameError);
    expect(() => assembly.result()).toThrow(FrameError);
  });

  it('takes of a part that comes again, late and otherwise divided, what is not here yet', () => {
    const request = aRequest();
    const body = Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 251));
    const content = new RequestContent(request, body);
    const assembly = new RequestAssembly(decodeEnvelope(content.envelope(from, 500, false)), false, 0, null);
    const whole = Buffer.concat(content.pieces(0, content.length));
    for (const [start, bytes] of [
      [0, 400],
      [0, 300],
      [200, 400],
      [300, 100],
      [600, content.length],
    ] as const)
      assembly.add(start, whole.subarray(start, start + bytes));
    expect(assembly.isComplete).toBe(true);
    expect(Buffer.from(assembly.result().body).equals(body)).toBe(true);
  });

  it('answers garbage with a FrameError or an envelope that does not contradict itself', () => {
    const valid = new RequestContent(aRequest(), Buffer.alloc(50)).envelope(from, 10_000, true);
    fc.assert(
      fc.property(fc.nat(), fc.nat(255), fc.nat(), (at, value, length) => {
        const damaged = Buffer.from(valid.subarray(0, length % (valid.length + 1)));
        if (damaged.length > 0) damaged[at % Math.min(damaged.length, 40)] = value;
        try {
          const envelope = decodeEnvelope(damaged);
          expect(envelope.part.length).toBeLessThanOrEqual(envelope.contentBytes);
          expect(envelope.requestBytes).toBeLessThanOrEqual(envelope.contentBytes);
        } catch (error) {
          expect(error).toBeInstanceOf(FrameError);
        }
      }),
    );
  });
});
