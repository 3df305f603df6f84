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
          const waiting = texts.map((text) => JSON.stringify({ text }));
          const read: string[] = [];
          while (waiting.length > 0) {
            const { body, events } = takeBatch(waiting, { maxEvents, maxBytes });
            expect(events).toBeLessThanOrEqual(maxEvents);
            if (events > 1) expect(body.length).toBeLessThanOrEqual(maxBytes + 1);
            const items = JSON.parse(body.toString()) as { text: string }[];
            expect(items).toHaveLength(events);
            read.push(...items.map(({ text }) => text));
          }
          expect(read).toEqual(texts);
        },
      ),
    );
  });
});
