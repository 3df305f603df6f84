import type { GenerationEvent } from './generation-event';
import { LegalEvents } from './legal-events';

function legalFrom(events: GenerationEvent[]): GenerationEvent[] {
  const legal = new LegalEvents('Acme');
  return events.flatMap((event) => legal.take(event));
}

const start: GenerationEvent = { type: 'start', id: 'a', model: 'm', createdAtS: 1 };
const text = (value: string): GenerationEvent => ({ type: 'text-delta', choice: 0, block: 0, text: value });
const textStart: GenerationEvent = { type: 'text-start', choice: 0, block: 0 };
const finish: GenerationEvent = { type: 'finish', choice: 0, reason: 'stop' };

describe('LegalEvents', () => {
  it('starts an answer whose parser told no start', () => {
    expect(legalFrom([textStart])).toEqual([{ type: 'start', id: null, model: null, createdAtS: null }, textStart]);
  });

  it('closes open blocks before their choice finishes, in the order in which they began', () => {
    const events = legalFrom([
      start,
      { type: 'reasoning-start', choice: 0, block: 4 },
      { type: 'tool-call-start', choice: 0, block: 2, id: 'c', name: 'f' },
      { type: 'text-start', choice: 1, block: 3 },
      finish,
    ]);
    expect(events.slice(4)).toEqual([
      { type: 'reasoning-end', choice: 0, block: 4 },
      { type: 'tool-call-end', choice: 0, block: 2 },
      finish,
    ]);
  });

  it('gives one finish for a choice and nothing of it afterwards', () => {
    const late: GenerationEvent = { type: 'text-start', choice: 0, block: 9 };
    expect(legalFrom([start, finish, finish, late, { type: 'text-delta', choice: 0, block: 9, text: 'x' }])).toEqual([
      start,
      finish,
    ]);
  });

  it('lets nothing follow the end', () => {
    expect(legalFrom([start, finish, { type: 'end' }, { type: 'end' }, textStart])).toEqual([
      start,
      finish,
      { type: 'end' },
    ]);
  });

  it.each([
    ['began and did not finish', [start, textStart, text('a'), { type: 'end' }], 'unfinished_answer'],
    ['never began', [start, { type: 'end' }], 'empty_answer'],
    [
      'finished for one of two choices only',
      [start, textStart, { type: 'text-start', choice: 1, block: 1 }, finish, { type: 'end' }],
      'unfinished_answer',
    ],
  ] satisfies [string, GenerationEvent[], string][])(
    'makes an error of the end of an answer that %s',
    (_, events, code) => {
      expect(legalFrom(events).at(-1)).toMatchObject({ type: 'error', error: { code, fault: 'retryable' } });
    },
  );

  it('reports a delta without its block as the fault of the parser that it is', () => {
    expect(() => legalFrom([start, text('a')])).toThrow(TypeError);
  });
});
