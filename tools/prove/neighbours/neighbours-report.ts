import type { Neighbour } from './prove-neighbours';
import { levelsOf, mebibytes } from './verdict';

/** The proof as a table for people. */
export function neighboursReport(neighbours: readonly Neighbour[]): string {
  const noticed = neighbours.filter(({ problems }) => problems.length > 0);
  const requests = neighbours
    .flatMap(({ quiet, beside }) => [...quiet, ...beside])
    .reduce((sum, one) => sum + one.requests, 0);
  return [
    '',
    row('attacker', ['p99 alone', 'p99 beside', 'machine', 'memory'], 'how its requests ended'),
    ...neighbours.flatMap((neighbour) => [lineOf(neighbour), ...neighbour.problems.map((problem) => `    ${problem}`)]),
    '',
    `${neighbours.length} kinds of attackers beside ${requests} requests of one caller; noticed: ${noticed.length}`,
    noticed.length === 0
      ? 'Proved: what others get does not depend on one caller.'
      : `NOT proved: ${noticed.map(({ attack }) => attack).join('; ')}.`,
  ].join('\n');
}

function lineOf(neighbour: Neighbour): string {
  const { quietMs, besideMs, machineMs } = levelsOf(neighbour);
  const times = [quietMs, besideMs, machineMs].map((ms) => `${ms.toFixed(1)} ms`);
  const endings = Object.entries(neighbour.endings)
    .sort(([, one], [, other]) => other - one)
    .slice(0, 5)
    .map(([ending, count]) => `${ending} ${count}`);
  return row(neighbour.attack, [...times, mebibytes(neighbour.memoryBytes)], endings.join(', '));
}

function row(name: string, figures: readonly string[], rest: string): string {
  return `  ${name.padEnd(46)} ${figures.map((text) => text.padStart(11)).join(' ')}   ${rest}`;
}
