import { hasScript } from '../behaviour/read-behaviour';

/**
 * A turn of the conversation as far as a simulated model looks back: what the user said, what the assistant
 * did, what tools gave.
 */
export type Turn = { kind: 'user'; text: string } | { kind: 'assistant' } | { kind: 'results'; texts: string[] };

/**
 * The last words of the user, and the rounds of tool results since then. Results that stand together are one
 * round.
 * A script lasts until the next one: agents add reminders of their own in the user's name.
 */
export function lookBack(turns: readonly Turn[]): { userText: string; resultRounds: string[][] } {
  const scriptedAt = turns.findLastIndex((turn) => turn.kind === 'user' && hasScript(turn.text));
  const saidAt = scriptedAt >= 0 ? scriptedAt : turns.findLastIndex(({ kind }) => kind === 'user');
  const said = turns[saidAt];
  const resultRounds: string[][] = [];
  let isRound = false;
  for (const turn of turns.slice(saidAt + 1)) {
    if (turn.kind === 'assistant') isRound = false;
    if (turn.kind !== 'results') continue;
    if (isRound) resultRounds.at(-1)?.push(...turn.texts);
    else resultRounds.push([...turn.texts]);
    isRound = true;
  }
  return { userText: said?.kind === 'user' ? said.text : '', resultRounds };
}
