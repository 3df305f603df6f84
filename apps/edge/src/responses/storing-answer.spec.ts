import { surfaces } from '@tollgate/dialects/surface';
import type { Answer } from '../generation/answer';
import { StoringAnswer } from './storing-answer';
import { readTold } from './told-response';

const surface = surfaces.find(({ name }) => name === 'openai-responses') ?? null;
const head = { status: 200, headers: {} };

/** What is kept of an answer in these pieces, and what its caller got. */
async function answered(
  pieces: readonly string[],
  { isStream, keeps, room = Infinity }: { isStream: boolean; keeps: boolean; room?: number },
) {
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
    takeRoom: (bytes) => bytes <= room,
    onConsumed: () => undefined,
    keep: (parts, isEvent) => {
      const json = Buffer.concat(parts);
      const text = json.toString('utf8');
      // Nothing of the end was told by now.
      kept.push(text === '' ? null : readTold(json, isEvent)?.id, told.includes('end'));
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
    ['a stream of few spaces', [closing.replace('data: ', 'data:').replaceAll('\n', '\r\n')], true],
  ] as const)('%s', async (_, pieces, isStream) => {
    const { told, kept, ends } = await answered(pieces, { isStream, keeps: true });
    expect([kept, ends]).toEqual([['resp_1', false], [true]]);
    expect(told).toBe(`${pieces.join('')}end`);
  });

  it('says in a stream that it could not be, in front of its last event', async () => {
    const { told, ends } = await answered([closing], { isStream: true, keeps: false });
    expect(told).toBe(`: tollgate: this response was not stored\n\n${closing}end`);
    expect(ends).toEqual([false]);
  });

  it('is not where others have the memory for it, and reaches its caller', async () => {
    const document = JSON.stringify(response);
    const pieces = [document.slice(0, 9), document.slice(9)];
    const { told, kept, ends } = await answered(pieces, { isStream: false, keeps: true, room: 9 });
    expect([told, kept, ends]).toEqual([`${document}end`, [], [false]]);
  });

  it('is not when it is larger than it may be', async () => {
    const large = JSON.stringify({ ...response, output: ['x'.repeat(1_000)] });
    const { kept, ends } = await answered([large], { isStream: false, keeps: true });
    expect([kept, ends]).toEqual([[], [false]]);
  });
});

describe('a response that was told', () => {
  const read = (value: unknown, isEvent = false) => readTold(Buffer.from(JSON.stringify(value)), isEvent);
  const items = [{ id: 'msg_1' }, { id: 7 }, 'text', { id: 'rs_1', summary: ['ü'] }];

  it.each([false, true])('is its output, the rest of it, and the ids of both, in an event: %s', (isEvent) => {
    const told = { ...response, model: 'm', output: items };
    const found = read(isEvent ? { type: 'response.completed', response: told } : told, isEvent);
    expect(found).toMatchObject({ id: 'resp_1', itemIds: ['msg_1', 'rs_1'] });
    expect(JSON.parse(Buffer.from(found?.output ?? []).toString())).toEqual(items);
    expect(Buffer.from(found?.rest ?? []).toString()).toBe('{"id":"resp_1","status":"completed","model":"m"}');
  });

  it('is none when it failed, has no id, or cannot be read', () => {
    for (const value of [{ ...response, status: 'failed' }, { ...response, id: 'no id' }, [], 'x'])
      expect(read(value)).toBeNull();
    expect(readTold(Buffer.from('{"id":'), false)).toBeNull();
  });
});
