import type { Piece } from './pieces';

/**
 * What the sandbox says when nothing else is asked of it. Each word with a space in front is one token of
 * o200k_base, and so is each mark behind a word, so that a chunk is a token.
 */
const sentences = `
  A gateway stands between those who ask and those who answer.
  Every request has a key, and every key has a limit.
  The model on the other side is not real, but the way to it is.
  What you read here comes word by word, as a real answer would.
  A short question often needs a long answer, and the other way round.
  Each word of this text is one token, so the count is easy to check.
  When a provider is slow, the next one in line may be asked.
  Nothing of this was written by a person, and nothing of it is secret.
  A stream is complete, or it says that it is not.
  The price of an answer is known before it is paid.
  If you close the window now, the provider stops within a second.
  Some questions have one good answer, and some have many.
  First comes the plan, then the work, and then the test of the work.
  A good tool does one thing, and does it well.
  The river is wide here, and the bridge is old but strong.
  There is a small town behind the hill, with a market every week.
  In the morning the light is clear, and you can see the mountain.
  It takes three hours to walk there, or one hour by train.
  Bring water, a map, and shoes that do not mind the rain.
  The table below would show the numbers, if there were a table.
  To begin, set the address and the key, and send a small request.
  Then look at the log: it says who asked, what it cost, and how long it took.
  Large numbers are best read in groups of three.
  An error should say what went wrong, and what to do next.
  The same question with the same seed gets the same answer.
  Most of the time, the simple way is also the fast way.
  Ask again with a real provider when you are ready for real answers.
  Both ways lead to the same place, but one of them is longer.
  The first step is free, and the second one is not hard.
  We could stop here, yet there is more to say.
  Winter is quiet in the north, and the nights are long.
  A garden needs time, water, and somebody who comes back.
  The house at the end of the street has a green door.
  All of this is true in the sandbox, and some of it outside.
`
  .trim()
  .split('\n')
  .map((line) =>
    [...line.trim().matchAll(/[^\s.,:]+|[.,:]/g)].map(([token]) => (/^\w/.test(token) ? ` ${token}` : token)),
  );

/** Whole sentences, as the seed would have it, up to that many tokens. */
export function saidBy(seed: number, tokens: number): Piece[] {
  const pieces: Piece[] = [];
  let state = seed;
  let last = -1;
  while (pieces.length < tokens) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const drawn = (state >>> 8) % sentences.length;
    // Nobody says the same twice in a row.
    last = drawn === last ? (drawn + 1) % sentences.length : drawn;
    for (const text of sentences[last] ?? []) if (pieces.length < tokens) pieces.push({ text, tokens: 1 });
  }
  return pieces;
}
