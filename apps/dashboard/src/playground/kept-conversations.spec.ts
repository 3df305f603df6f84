import { z } from 'zod/mini';
import { conversationsShape, titleOf, withConversation } from './kept-conversations';
import type { KeptConversation } from './kept-conversations';
import { noSetup } from './request-body';
import { newAnswer } from './turns';

const said = (id: string, text = 'Hi', images: string[] = []): KeptConversation => ({
  ...{ id, at: 1, setup: noSetup },
  columns: [{ model: 'a/b', turns: [{ kind: 'user', text, images }, newAnswer('a/b')] }],
});

it('is read again as it was kept', () => {
  const kept = withConversation([said('one')], said('two'));
  expect(z.parse(conversationsShape, JSON.parse(JSON.stringify(kept)))).toEqual(kept);
});

it('keeps each once, the last one first, and not too many', () => {
  const many = Array.from({ length: 40 }, (_, number) => said(String(number))).reduce(withConversation, []);
  expect(many.map(({ id }) => id).slice(0, 2)).toEqual(['39', '38']);
  expect(many).toHaveLength(30);
  expect(
    withConversation(many, said('38'))
      .map(({ id }) => id)
      .slice(0, 3),
  ).toEqual(['38', '39', '37']);
});

it('leaves images out that are large, and forgets the oldest where much was said', () => {
  const [large] = withConversation([], said('large', 'See', ['A'.repeat(400_000)]));
  expect(large?.columns[0]?.turns[0]).toEqual({ kind: 'user', text: 'See', images: [] });
  const long = 'A'.repeat(900_000);
  const kept = [said('1', long), said('2', long), said('3', long)].reduce(withConversation, []);
  expect(kept.map(({ id }) => id)).toEqual(['3', '2']);
});

it.each([
  ['  Two\n lines ', 'Two lines'],
  ['', 'Without words'],
  ['x'.repeat(80), `${'x'.repeat(60)}…`],
])('%j is called %j', (text, title) => expect(titleOf(said('a', text))).toBe(title));
