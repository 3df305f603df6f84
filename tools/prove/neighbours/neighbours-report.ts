import { attacks } from './attacks';
import type { Play } from './book';
import type { Neighbour } from './prove-neighbours';
import { judgesTimes, levelsOf, mebibytes } from './verdict';

/** The proof as a table for people. */
export function neighboursReport(neighbours: readonly Neighbour[], { build, bounds }: Play): string {
  const played = new Set(neighbours.map(({ attack }) => attack));
  const missing = attacks.filter(({ name }) => !played.has(name)).length;
  const noticed = neighbours.filter(({ problems }) => problems.length > 0);
  const requests = neighbours
    .flatMap(({ alone, beside }) => [...alone, ...beside])
    .reduce((sum, one) => sum + one.requests, 0);
  return [
    '',
    row('attacker', ['p99 alone', 'p99 beside', 'machine', 'work', 'gained', 'kept'], 'how its requests ended'),
    ...neighbours.flatMap((neighbour) => [
      lineOf(neighbour),
      ...neighbour.problems.map((problem) => `    ${problem}`),
      ...(neighbour.problems.length > 0 ? [`    ${standstillsOf(neighbour)}`, `    ${coresOf(neighbour)}`] : []),
    ]),
    '',
    `${attacks.length - missing} of ${attacks.length} kinds of attackers beside ${requests} requests of one caller; noticed: ${noticed.length}; build: ${build}`,
    `what asked and measured stood still itself for ${longestOf(neighbours, 'victim')} ms at most, what answered for providers for ${longestOf(neighbours, 'sandbox')}`,
    `the attacker itself had no core for ${corelessOf(neighbours, 'attacker')} ms of a kind at most: an attack that waits is a weak one`,
    `times judged: ${neighbours.filter((one) => judgesTimes(one, bounds)).length} kinds (the others while the machine did other things)`,
    verdictOf(noticed, missing > 0),
  ].join('\n');
}

function verdictOf(noticed: readonly Neighbour[], isPart: boolean): string {
  if (noticed.length > 0) return `NOT proved: ${noticed.map(({ attack }) => attack).join('; ')}.`;
  return isPart ? 'Holds for these kinds.' : 'Proved: what others get does not depend on one caller.';
}

function lineOf(neighbour: Neighbour): string {
  const { aloneMs, besideMs, machineMs } = levelsOf(neighbour);
  const times = [aloneMs, besideMs, machineMs].map((ms) => `${ms.toFixed(1)} ms`);
  const { memory } = neighbour;
  const gained = Math.max(0, ...memory.map(({ mostBytes, beforeBytes }) => mostBytes - beforeBytes));
  const kept = Math.max(0, ...memory.map(({ afterBytes, firstBytes }) => afterBytes - firstBytes));
  const endings = Object.entries(neighbour.endings)
    .sort(([, one], [, other]) => other - one)
    .slice(0, 5)
    .map(([ending, count]) => `${ending} ${count}`);
  return row(
    neighbour.attack,
    [...times, `${Math.round(neighbour.gatewayShare * 100)} %`, mebibytes(gained), mebibytes(kept)],
    endings.join(', '),
  );
}

/** Who stood still beside it, for how long at most; alone; and how long in all for want of a core. */
function standstillsOf({ standstills }: Neighbour): string {
  const told = standstills.map(
    ({ process, aloneMs, besideMs, corelessMs }) =>
      `${process} ${besideMs.toFixed(0)} ms (alone ${aloneMs.toFixed(0)}, no core ${corelessMs.toFixed(0)})`,
  );
  return `stood still: ${told.join(', ')}`;
}

/** How many cores each had beside it. */
function coresOf({ cores }: Neighbour): string {
  return `cores: ${Object.entries(cores)
    .map(([worker, count]) => `${worker} ${count.toFixed(2)}`)
    .join(', ')}`;
}

function corelessOf(neighbours: readonly Neighbour[], name: string): string {
  const all = neighbours.flatMap(({ standstills }) => standstills).filter(({ process }) => process === name);
  return Math.max(0, ...all.map(({ corelessMs }) => corelessMs)).toFixed(0);
}

function longestOf(neighbours: readonly Neighbour[], name: string): string {
  const all = neighbours.flatMap(({ standstills }) => standstills).filter(({ process }) => process === name);
  return Math.max(0, ...all.flatMap(({ aloneMs, besideMs }) => [aloneMs, besideMs])).toFixed(0);
}

function row(name: string, figures: readonly string[], rest: string): string {
  return `  ${name.padEnd(46)} ${figures.map((text) => text.padStart(11)).join(' ')}   ${rest}`;
}
