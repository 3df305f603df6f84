import fc from 'fast-check';
import { takeBatch } from './usage-batches';

describe('packing usage events into messages', () => {
  it('keeps every event, in order, within the limits', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 40, unit: 'grapheme' }), { maxLength: 50 }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 150, max: 500 }),
        (texts, maxEvents, maxBytes) => {
          const waiting = texts.map((text, number) => ({ id: String(number), json: JSON.stringify({ text }) }));
          const read: string[] = [];
          const ids: string[] = [];
          while (waiting.length > 0) {
            const { body, eventIds } = takeBatch(waiting, { maxEvents, maxBytes });
            expect(eventIds.length).toBeLessThanOrEqual(maxEvents);
            if (eventIds.length > 1) expect(body.length).toBeLessThanOrEqual(maxBytes + 1);
            const items = JSON.parse(body.toString()) as { text: string }[];
            expect(items).toHaveLength(eventIds.length);
            read.push(...items.map(({ text }) => text));
            ids.push(...eventIds);
          }
          expect(read).toEqual(texts);
          expect(ids).toEqual(texts.map((_, number) => String(number)));
        },
      ),
    );
  });

  it('holds no more memory than a message has', () => {
    const { body } = takeBatch([{ id: '1', json: '{"text":"Grüße"}' }], { maxEvents: 1, maxBytes: 1_000 });
    expect(body.buffer.byteLength).toBe(body.length);
  });
});
