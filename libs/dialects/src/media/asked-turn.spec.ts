import { askedTurn } from './asked-turn';
import type { TurnKind } from './asked-turn';

const asked = (...turns: TurnKind[]) => askedTurn(turns.length, (index) => turns[index] ?? 'beside');

describe('the turn whose pictures a model must take', () => {
  it.each<[string, TurnKind[], number]>([
    ['the only one', ['user'], 0],
    ['the last one', ['beside', 'user', 'assistant', 'user'], 3],
    ['the last of several', ['user', 'user'], 1],
    ['the one before instructions', ['user', 'beside'], 0],
    ['the one before an answer that was begun', ['user', 'assistant'], 0],
    ['a new one behind what was put beside a result', ['user', 'assistant', 'tool', 'user', 'user'], 4],
  ])('is %s', (_, turns, index) => {
    expect(asked(...turns)).toBe(index);
  });

  it.each<[string, TurnKind[]]>([
    ['there is no turn', []],
    ['nobody has asked', ['beside', 'assistant']],
    ['a tool has the last word', ['user', 'assistant', 'tool']],
    ['a loop of tools goes on', ['user', 'assistant', 'tool', 'assistant']],
    ['something stands right behind a result', ['user', 'assistant', 'tool', 'user']],
    ['instructions stand between', ['user', 'assistant', 'tool', 'beside', 'user']],
  ])('is none where %s', (_, turns) => {
    expect(asked(...turns)).toBe(-1);
  });
});
