import { execFileSync } from 'node:child_process';
import { workspaceRoot } from '../../stack/workspace-root';
import type { ProofValues, Say } from '../proof';
import { withStack } from '../with-stack';
import { attacks } from './attacks';
import { Book } from './book';
import { neighboursReport } from './neighbours-report';
import { neighboursEnvironment, proveNeighbours } from './prove-neighbours';
import { promised } from './verdict';
import type { TimesJudged } from './verdict';

/**
 * `--kinds` picks attackers by parts of their names, with commas between, `--slice 2/6` the second sixth of
 * them. `--times` says whether times are judged: `quiet` (to the millisecond from three rounds on, where the
 * machine did nothing else in the rounds alone, and roughly otherwise), `always` (to the millisecond) or
 * `never`; `--keep` leaves logs for a look. `--rate`: requests of the victim a second, of which a round needs
 * more than a hundred: of fewer the 99th percentile is the slowest one. `--book` names a file in which each
 * kind is written down as it is judged: those that stand there are not played again, and table and verdict
 * are over all of them, which are of one build.
 */
export const neighboursOptions = {
  kinds: { type: 'string', default: '' },
  slice: { type: 'string', default: '1/1' },
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '2' },
  rate: { type: 'string', default: '100' },
  times: { type: 'string', default: 'quiet' },
  book: { type: 'string', default: '' },
  keep: { type: 'boolean', default: false },
} as const;

/** Holds when the victim noticed none of its neighbours. */
export async function runNeighbours(values: ProofValues<typeof neighboursOptions>, onProgress: Say): Promise<boolean> {
  const play = {
    build: buildOf(workspaceRoot),
    rounds: Number(values.rounds),
    roundMs: Number(values.seconds) * 1_000,
    perSecond: Number(values.rate),
    bounds: { ...promised, times: timesOf(values.times) },
  };
  const book = new Book(values.book || null, play);
  const chosen = chosenKinds(values.kinds, values.slice);
  const left = chosen.filter((attack) => !book.has(attack));
  const options = { durable: false, onProgress, keep: values.keep, environment: neighboursEnvironment };
  if (left.length > 0)
    await withStack(options, (stack) =>
      proveNeighbours(stack, {
        ...play,
        chosen: (attack) => left.includes(attack),
        onProgress,
        onJudged: (neighbour) => book.add(neighbour),
      }),
    );
  onProgress(neighboursReport(book.all, play));
  return chosen.every((attack) => book.has(attack)) && book.all.every(({ problems }) => problems.length === 0);
}

/**
 * The names of the kinds that are played: of those that `kinds` picks, the part that `slice` (`2/6`) names.
 * @throws Error for another form, and where none is left
 */
export function chosenKinds(kinds: string, slice: string): string[] {
  const [, part = NaN, parts = NaN] = (/^(\d+)\/(\d+)$/.exec(slice) ?? []).map(Number);
  if (!(part >= 1 && part <= parts)) throw new Error(`--slice is a part of all kinds, like 2/6, not ${slice}`);
  const pieces = kinds.split(',').filter((piece) => piece !== '');
  const picked = attacks
    .map(({ name }) => name)
    .filter((name) => kinds === '' || pieces.some((piece) => name.includes(piece)));
  const cut = (at: number) => Math.round((picked.length * at) / parts);
  const chosen = picked.slice(cut(part - 1), cut(part));
  if (chosen.length === 0) throw new Error(`No kind of attacker has "${kinds}" in its name in the slice ${slice}.`);
  return chosen;
}

/** The commit of a checkout, with `-dirty` where files differ from it; `unknown` where there is no git. */
export function buildOf(folder: string): string {
  const args = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude', '*'];
  try {
    return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}

function timesOf(value: string): TimesJudged {
  if (value === 'quiet' || value === 'always' || value === 'never') return value;
  throw new Error(`--times is quiet, always or never, not ${value}`);
}
