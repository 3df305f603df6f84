import { surfaces } from '@tollgate/dialects/surface';
import type { Answer } from '../generation/answer';
import { StoringAnswer } from './storing-answer';

const surface = surfaces.find(({ name }) => name === 'openai-responses') ?? null;
const head = { status: 200, headers: {} };

/** What is kept of an answer in these pieces, and what its caller got. */
async function answered(pieces: readonly string[], { isStream, keeps }: { isStream: boolean; keeps: boolean }) {
  const told: string[] = [];
  const kept: unknown[] = [];
  const ends: boolean[] = [];
  const answer: Answer = {
    head: () => undefined,
    data: (bytes) => void told.push(Buffer.from(bytes).toString('utf8')),
    end: () => void told.push('end'),
    fail: () => undefined,
    tick: () => undefined,
  };
  const storing = new StoringAnswer({
    answer,
    stream: isStream ? surface : null,
    mostBytes: 1_000,
    onConsumed: () => undefined,
    keep: (response) => {
      // Nothing of the end was told by now.
      kept.push(response, told.includes('end'));
      return Promise.resolve(keeps);
    },
    onKept: (isKept) => void ends.push(isKept),
  });
  storing.head(head);
  for (const piece of pieces) storing.data(Buffer.from(piece));
  await storing.end();
  return { told: told.join(''), kept, ends };
}

// Line separators that JSON may hold as they are.
const response = { id: 'resp_1', status: 'completed', output: ['a\u2028b\u2029c'] };
const closing = `event: response.completed\ndata: ${JSON.stringify({ type: 'response.completed', response })}\n\n`;

describe('an answer that is kept before its end is told', () => {
  it.each([
    ['a document', [JSON.stringify(response)], false],
    ['a stream', ['event: response.created\ndata: {"type":"response.created"}\n\n', closing], true],
  ] as const)('%s', async (_, pieces, isStream) => {
    const { told, kept, ends } = await answered(pieces, { isStream, keeps: true });
    expect([kept, ends]).toEqual([[response, false], [true]]);
    expect(told).toBe(`${pieces.join('')}end`);
  });

  it('says in a stream that it could not be, in front of its last event', async () => {
    const { told, ends } = await answered([closing], { isStream: true, keeps: false });
    expect(told).toBe(`: tollgate: this response was not stored\n\n${closing}end`);
    expect(ends).toEqual([false]);
  });

  it('is not when it failed, is no response, or is larger than it may be', async () => {
    const large = JSON.stringify({ ...response, output: ['x'.repeat(1_000)] });
    for (const text of [JSON.stringify({ ...response, status: 'failed' }), 'no JSON', large]) {
      const { kept, ends } = await answered([text], { isStream: false, keeps: true });
      expect([kept, ends]).toEqual([[], [false]]);
    }
  });
});
