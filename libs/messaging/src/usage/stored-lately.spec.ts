import fc from 'fast-check';
import { StoredLately, type UsageBatch, takeBatch } from './stored-lately';

const batch = (id: string, after: number, bytes = 10): UsageBatch => ({
  ...{ number: 1, id, eventIds: [id], sentAt: 0, after },
  body: Buffer.alloc(bytes),
});
const at = (seq: number, duplicate = false) => ({ seq, duplicate });

describe('what was stored lately', () => {
  it('is wanted again when a message that was sent later has a lower place', () => {
    const stored = new StoredLately();
    expect(stored.note(batch('a', 0), at(7), 0)).toEqual([]);
    expect(stored.note(batch('b', 7), at(8), 0)).toEqual([]);
    expect(stored.last).toBe(8);
    expect(stored.note(batch('c', 8), at(1), 0).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(stored.last).toBe(1);
    expect(stored.note(batch('d', 1), at(2), 0)).toEqual([]);
  });

  it('is not wanted again when acknowledgements overtake one another, or tell of a second copy', () => {
    const stored = new StoredLately();
    stored.note(batch('b', 0), at(8), 0);
    expect(stored.note(batch('a', 0), at(7), 0)).toEqual([]);
    expect(stored.note(batch('c', 8), at(3, true), 0)).toEqual([]);
  });

  it('is wanted again when the stream is gone, is another one, or lost its end', () => {
    const stored = new StoredLately();
    const see = (madeAt: string | null, last: number, known = stored.last) =>
      stored.see({ madeAt, last }, known).map(({ id }) => id);
    expect(see('monday', 3)).toEqual([]);
    stored.note(batch('a', 0), at(7), 0);
    expect(see('monday', 9)).toEqual([]);
    expect(see('tuesday', 9)).toEqual(['a']);
    expect(see('tuesday', 9)).toEqual([]);
    stored.note(batch('b', 9), at(10), 0);
    expect(see('tuesday', 8)).toEqual(['b']);
    stored.note(batch('c', 0), at(9), 0);
    expect(see(null, 0)).toEqual(['c']);
    expect(stored.last).toBe(0);
  });

  it('is not wanted again for what was acknowledged after the question', () => {
    const stored = new StoredLately();
    stored.see({ madeAt: 'monday', last: 7 }, 0);
    stored.note(batch('a', 7), at(8), 0);
    expect(stored.see({ madeAt: 'monday', last: 7 }, 7)).toEqual([]);
    expect(stored.isInUnknown).toBe(false);
  });

  it('is let go after ten minutes, and above 16 MiB', () => {
    const stored = new StoredLately();
    stored.note(batch('old', 0), at(5), 0);
    stored.note(batch('kept', 5), at(6), 700_000);
    expect(stored.note(batch('lower', 6), at(1), 700_000).map(({ id }) => id)).toEqual(['kept']);
    stored.note(batch('large', 1, 12 * 1024 * 1024), at(2), 700_000);
    stored.note(batch('larger', 2, 12 * 1024 * 1024), at(3), 700_000);
    expect(stored.note(batch('last', 3), at(1), 700_000).map(({ id }) => id)).toEqual(['larger']);
  });

  it('is let go after ten minutes where nothing more is stored, too', () => {
    const stored = new StoredLately();
    stored.note(batch('old', 0), at(5), 0);
    stored.trim(600_000);
    stored.note(batch('newer', 5), at(6), 600_000);
    stored.trim(600_001);
    expect(stored.note(batch('lower', 6), at(1), 600_001).map(({ id }) => id)).toEqual(['newer']);
  });

  it('counts what small messages take beside their bodies', () => {
    const stored = new StoredLately();
    for (let seq = 1; seq <= 40_000; seq++) stored.note(batch(String(seq), seq - 1), at(seq), 0);
    const held = stored.note(batch('lower', 40_000), at(1), 0);
    expect(held.length).toBeLessThan((16 * 1024 * 1024) / 500);
    expect(held.at(-1)?.id).toBe('40000');
  });
});

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
