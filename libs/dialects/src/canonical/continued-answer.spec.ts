import { noUsage } from '@tollgate/contracts';
import { illegal, readerOf } from '../proof/surfaces.fixture';
import { answerContext, numberedIds, targetOf } from '../proof/targets.fixture';
import { surfaceCodecs, translationFor } from '../translations';
import type { CanonicalAnswer } from './answer';
import { AnswerEvents } from './answer-events';
import { streamPieces } from './answer-pieces';
import type { SurfaceCodec } from './codec';
import { AnswerCollector } from './collect-answer';
import { ContinuedAnswer } from './continued-answer';
import type { GenerationEvent } from './generation-event';

const surfaces = surfaceCodecs.map((surface) => [surface.name, surface] as const);
const used = { ...noUsage, input: 10, output: 4, reasoning: 1 };
const comment = 'tollgate: it goes on';

/** An answer that thinks and speaks; blocks are numbered from `first` on. */
function answerOf(words: readonly string[], first = 0): GenerationEvent[] {
  const thought = { choice: 0, block: first };
  const text = { choice: 0, block: first + 1 };
  return [
    { type: 'start', id: 'a', model: 'm', createdAtS: 1 },
    { type: 'reasoning-start', ...thought },
    { type: 'reasoning-delta', ...thought, text: 'so' },
    { type: 'reasoning-end', ...thought },
    { type: 'text-start', ...text },
    ...words.map((word) => ({ type: 'text-delta', ...text, text: word }) as const),
    { type: 'text-end', ...text },
    { type: 'finish', choice: 0, reason: 'stop' },
    { type: 'usage', usage: { ...noUsage, input: 20, output: 7 } },
    { type: 'end' },
  ];
}

const withoutThought = (events: readonly GenerationEvent[]): GenerationEvent[] =>
  events.filter(({ type }) => !type.startsWith('reasoning'));

/** What is written when the first answer breaks behind `events` and the second one goes on. */
function written(surface: SurfaceCodec, events: readonly GenerationEvent[], rest: readonly GenerationEvent[]): string {
  const first = new ContinuedAnswer();
  const writer = first.writerFor(surface, answerContext());
  const before = events.map((event) => writer.write(event)).join('');
  const second = first.next(used, comment).writerFor(surface, answerContext());
  return before + rest.map((event) => second.write(event)).join('');
}

const withoutComments = (sse: string): string => sse.replace(/^:.*\n\n/gm, '');

/** What a client of the surface reads. */
function readBy(surface: SurfaceCodec, sse: string): CanonicalAnswer {
  const codec = readerOf(surface);
  const target = targetOf(codec.name, true);
  const parser = codec.answerParser({ request: answerContext().request, target, newId: numberedIds() });
  const pieces = streamPieces('sse', new AnswerEvents(parser, 'Acme'));
  const collector = new AnswerCollector();
  for (const event of [...pieces.push(Buffer.from(sse)), ...pieces.end()]) {
    if (event.type === 'error') throw new Error(event.error.message);
    collector.add(event);
  }
  return collector.answer();
}

function textOf({ choices }: CanonicalAnswer): string {
  return (choices[0]?.blocks ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('');
}

describe.each(surfaces)('an answer of %s that breaks', (_name, surface) => {
  const words = ['one ', 'two ', 'three '];
  const begun = answerOf(words).slice(0, -4);
  const cuts = begun.map((_event, index) => index).slice(1);

  it.each([
    ['a model that speaks at once', withoutThought(answerOf(['four ', 'five']))],
    ['a model that thinks first', answerOf(['four ', 'five'])],
  ])('is one legal answer wherever it broke, with what %s goes on with', (_kind, rest) => {
    for (const cut of cuts) {
      const sse = written(surface, begun.slice(0, cut + 1), rest);
      expect(illegal(surface.name, withoutComments(sse))).toBeNull();
      const answer = readBy(surface, sse);
      const said = words.slice(0, Math.max(0, cut - 4)).join('');
      expect(textOf(answer)).toBe(`${said}four five`);
      expect(answer.choices).toMatchObject([{ finish: 'stop' }]);
    }
  });

  it('is written as one text where text goes on', () => {
    const answer = readBy(surface, written(surface, begun, withoutThought(answerOf(['four']))));
    expect(answer.choices[0]?.blocks.filter(({ type }) => type === 'text')).toHaveLength(1);
  });

  it('tells the usage of both, and where it goes on in a comment that stands between two events', () => {
    const sse = written(surface, begun, answerOf(['four']));
    expect(readBy(surface, sse).usage).toMatchObject({ input: 30, output: 11 });
    expect(sse.split('\n\n').filter((event) => event.startsWith(':'))).toEqual([`: ${comment}`]);
  });

  it('says nothing of a place that failed before it went on', () => {
    const first = new ContinuedAnswer();
    const writer = first.writerFor(surface, answerContext());
    const before = begun.map((event) => writer.write(event)).join('');
    const failing = first.next(used, 'tollgate: not this one').writerFor(surface, answerContext());
    const [start, usage] = [answerOf([])[0], answerOf([]).at(-2)];
    if (!start || !usage) throw new Error('no events');
    expect(failing.write(start) + failing.write(usage)).toBe('');
    const second = first.next(used, comment).writerFor(surface, answerContext());
    const sse =
      before +
      answerOf(['four'])
        .map((event) => second.write(event))
        .join('');
    expect(illegal(surface.name, withoutComments(sse))).toBeNull();
    expect(readBy(surface, sse).usage).toMatchObject({ input: 30, output: 11 });
  });

  it('goes on also where its own provider speaks as the caller does', () => {
    const { name } = readerOf(surface);
    const plain = surface.streamWriter(answerContext());
    const upstream = begun.map((event) => plain.write(event)).join('');
    const continued = new ContinuedAnswer();
    const body = Buffer.from('{"model":"m","stream":true,"max_tokens":9,"messages":[],"input":"hi"}');
    const options = { includeUsage: true, continued };
    const reader = translationFor(surface.name, name)?.prepare(body, targetOf(name, true), options).answerReader();
    const out = Buffer.from(reader?.push(Buffer.from(upstream)) ?? []).toString();
    expect(continued.textSoFar).toBe(words.join(''));
    const second = continued.next(used, comment).writerFor(surface, answerContext());
    const sse =
      out +
      answerOf(['four'])
        .map((event) => second.write(event))
        .join('');
    expect(illegal(surface.name, withoutComments(sse))).toBeNull();
    expect(textOf(readBy(surface, sse))).toBe('one two three four');
  });
});

describe('an answer cannot go on', () => {
  const after = (...events: GenerationEvent[]): string | null => {
    const [surface] = surfaceCodecs;
    if (!surface) throw new Error('no surface');
    const answer = new ContinuedAnswer();
    const writer = answer.writerFor(surface, answerContext());
    for (const event of [...answerOf(['one']).slice(0, -4), ...events]) writer.write(event);
    return answer.textSoFar;
  };
  const place = { choice: 0, block: 7 };

  it('but from its text alone', () => expect(after()).toBe('one'));

  it.each<[string, GenerationEvent]>([
    ['a call', { type: 'tool-call-start', ...place, id: 'call_1', name: 'write' }],
    ['a refusal', { type: 'refusal-start', ...place }],
    ['a second choice', { type: 'text-start', choice: 1, block: 7 }],
    ['its end', { type: 'finish', choice: 0, reason: 'stop' }],
  ])('after %s has begun', (_what, event) => expect(after(event)).toBeNull());
});
