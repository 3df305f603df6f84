import { findFolded, type Rule } from './rule';

it('finds hundreds of thousands of places in a plainer writing, more than a call may be given', () => {
  const many = Array.from({ length: 200_000 }, (_, at) => ({ start: at, end: at + 1, mark: '' }));
  const rule: Rule = { id: 'rule', action: 'redact', longest: 1, find: (text) => (text === 'as it came' ? [] : many) };
  const places = Int32Array.from(many.keys());
  const folded = { text: 'plainer', starts: places, ends: places };
  expect(findFolded(rule, 'as it came', [folded])).toHaveLength(many.length);
});
