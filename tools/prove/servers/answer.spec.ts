import { differences, streamAnswer } from './answer';
import type { Answer } from './answer';

const path = '/v1/chat/completions';
const piece = (index: number, content: string | null, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index, delta: content === null ? {} : { content }, finish_reason: finish }] })}\n\n`;
const stream = (...pieces: string[]) => streamAnswer(`${pieces.join('')}data: [DONE]\n\n`, path);
const refusal = (message: string): Answer => ({ status: 400, content: null, usage: null, message, retryAfter: null });

describe('two answers', () => {
  const direct = stream(piece(0, 'a'), piece(1, 'x'), piece(0, 'b', 'stop'), piece(1, 'y', 'stop'));

  it('are equal however their choices are mixed', () => {
    const through = stream(piece(1, 'x'), piece(1, 'y', 'stop'), piece(0, 'a'), piece(0, 'b', 'stop'));
    expect(differences(direct, through, false)).toEqual([]);
  });

  it.each([
    ['a word is lost', stream(piece(0, 'a'), piece(1, 'x'), piece(0, null, 'stop'), piece(1, 'y', 'stop'))],
    ['a word is another choice’s', stream(piece(0, 'ab', 'stop'), piece(1, 'y'), piece(1, 'x', 'stop'))],
  ])('are not where %s', (_what, through) => {
    expect(differences(direct, through, false)).toHaveLength(1);
  });
});

it('takes a long refusal that is cut for told, and no other words', () => {
  const text = Array.from({ length: 400 }, (_, number) => `fault ${number}`).join(', ');
  const cut = `${text.slice(0, 1_000)}…`;
  expect(differences(refusal(text), refusal(cut), false)).toEqual([]);
  expect(differences(refusal(text), refusal('Something went wrong…'), false)).toHaveLength(1);
  expect(differences(refusal('no'), refusal('home answered 400: no'), false)).toEqual([]);
});
