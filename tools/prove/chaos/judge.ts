import type { Answer, Fate, Seen } from './acts';
import type { Disturbance, Expectation } from './contract';

/** One cell of the matrix. Red when it has problems, each of them a sentence. */
export interface Cell {
  /** Everything that was seen, each once, in the order in which it was seen first. */
  seen: readonly (Seen | Fate)[];
  /** The slowest; null where none was awaited. */
  slowestMs: number | null;
  problems: string[];
}

/** Holds the answers to one act against what was declared for it. */
export function judgeAnswers(answers: readonly Answer[], { statuses, withinMs }: Expectation): Cell {
  const problems = new Set<string>();
  for (const answer of answers) {
    const { seen, beganMs } = answer;
    if (typeof seen !== 'number' || !statuses.includes(seen))
      problems.add(`${seen} instead of ${statuses.join(' or ')}`);
    if (beganMs > withinMs) problems.add(`it took ${seconds(beganMs)} instead of at most ${seconds(withinMs)}`);
    if (lacksRetryAfter(answer)) problems.add('503 without Retry-After');
  }
  if (answers.length === 0) problems.add('nobody could ask');
  return {
    seen: [...new Set(answers.map(({ seen }) => seen))],
    slowestMs: Math.max(0, ...answers.map(({ beganMs }) => beganMs)),
    problems: [...problems],
  };
}

/** /readyz speaks to load balancers, which ask again by themselves. */
function lacksRetryAfter({ act, seen, hasRetryAfter }: Answer): boolean {
  return seen === 503 && act !== 'readyz' && !hasRetryAfter;
}

/** Holds the fates of streams that were under way against what was declared for them. */
export function judgeStreams(fates: readonly Fate[], { underWay }: Disturbance): Cell {
  const seen = [...new Set(fates)];
  const wrong = seen.filter((fate) => !underWay.includes(fate));
  return {
    seen,
    slowestMs: null,
    problems: wrong.map((fate) => `a stream under way was ${fate} instead of ${underWay.join(' or ')}`),
  };
}

/** Holds the slowest recovery against the declared time. `slowestMs` null: something never recovered. */
export function judgeRecovery(
  { act, afterMs }: { act: string; afterMs: number | null },
  { recoversWithinMs }: Disturbance,
): Cell {
  if (afterMs === null) return { seen: [], slowestMs: null, problems: [`${act} did not recover`] };
  const problems =
    afterMs > recoversWithinMs
      ? [`${act} recovered after ${seconds(afterMs)} instead of ${seconds(recoversWithinMs)}`]
      : [];
  return { seen: [], slowestMs: afterMs, problems };
}

/** Milliseconds as seconds for people. */
function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
