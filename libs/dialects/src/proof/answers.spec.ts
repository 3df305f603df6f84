import fc from 'fast-check';
import { AnswerEvents } from '../canonical/answer-events';
import type { SurfaceCodec } from '../canonical/codec';
import { AnswerCollector } from '../canonical/collect-answer';
import type { GenerationEvent } from '../canonical/generation-event';
import { LegalEvents } from '../canonical/legal-events';
import { surfaceCodecs } from '../translations';
import { randomEvents } from './random-events.fixture';
import { saidBy } from './said.fixture';
import { eventsIn } from './sse-text.fixture';
import { illegal, readerOf } from './surfaces.fixture';
import { answerContext, numberedIds, targetOf } from './targets.fixture';

const runs = { seed: 20_260_101, numRuns: 500 };

function ordered(events: readonly GenerationEvent[]): GenerationEvent[] {
  const legal = new LegalEvents('Acme');
  return events.flatMap((event) => legal.take(event));
}

function collected(events: readonly GenerationEvent[]) {
  const collector = new AnswerCollector();
  for (const event of events) collector.add(event);
  return collector.answer();
}

/** Answers that the surface can tell apart from others. */
function legible({ name }: SurfaceCodec) {
  return name === 'openai-chat' ? randomEvents(true, 'calls') : randomEvents(false);
}

function written(surface: SurfaceCodec, events: readonly GenerationEvent[]): string {
  const writer = surface.streamWriter(answerContext());
  return events.map((event) => writer.write(event)).join('');
}

/** What the same dialect's provider side reads from text that the surface wrote. */
function reader(surface: SurfaceCodec): AnswerEvents {
  const { request } = answerContext();
  const context = { request, target: targetOf(surface.name, true), newId: numberedIds() };
  return new AnswerEvents(readerOf(surface).answerParser(context), 'Acme');
}

describe.each(surfaceCodecs.map((surface) => [surface.name, surface] as const))(
  'an answer on the surface %s',
  (_, surface) => {
    it('is a legal stream, whatever legal events came in', () => {
      fc.assert(
        fc.property(randomEvents(true), (events) => {
          expect(illegal(surface.name, written(surface, ordered(events)))).toBeNull();
        }),
        runs,
      );
    });

    it('says the same when its own dialect reads it back from a stream', () => {
      fc.assert(
        fc.property(legible(surface), (events) => {
          const legal = ordered(events);
          const back = reader(surface);
          const read = eventsIn(written(surface, legal)).flatMap(({ name, data }) => back.event(name, data));
          expect([...read, ...back.close()].at(-1)).toEqual({ type: 'end' });
          expect(saidBy(surface.name, collected(read))).toEqual(saidBy(surface.name, collected(legal)));
        }),
        runs,
      );
    });

    it('says the same when its own dialect reads it back from a document', () => {
      fc.assert(
        fc.property(legible(surface), (events) => {
          const answer = collected(ordered(events));
          const read = reader(surface).document(JSON.stringify(surface.toResponse(answer, answerContext())));
          expect(read.at(-1)).toEqual({ type: 'end' });
          expect(saidBy(surface.name, collected(read))).toEqual(saidBy(surface.name, answer));
        }),
        runs,
      );
    });
  },
);
