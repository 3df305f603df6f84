import { buildServices } from '../../stack/build';
import type { ProofValues, Say } from '../proof';
import { acts } from './acts';
import { nameOf } from './contract';
import type { Cell } from './judge';
import { type ChaosProof, proveChaos, type Row } from './prove-chaos';
import { Site } from './site';

/**
 * `--only nats` picks rows by their name; `--patience 3` grants three times the declared times, for a machine
 * that does other things too;
 * `--keep` leaves databases and logs for a look.
 */
export const chaosOptions = {
  only: { type: 'string', default: '' },
  patience: { type: 'string', default: '1' },
  keep: { type: 'boolean', default: false },
} as const;

/** Holds when every cell is as declared. */
export async function runChaos(values: ProofValues<typeof chaosOptions>, say: Say): Promise<boolean> {
  await buildServices();
  const site = await Site.start(say);
  try {
    const proof = await proveChaos(site, {
      chosen: (disturbance) => nameOf(disturbance).includes(values.only),
      roundsAtMs: [0, 1_000, 3_000, 6_000],
      patience: Number(values.patience),
      onProgress: say,
    });
    say(chaosReport(proof, process.stdout.isTTY));
    return proof.holds;
  } finally {
    const folder = await site.stop(values.keep);
    if (values.keep) say(`Kept: ${folder}`);
  }
}

const nameWidth = 24;
const mostProblems = 30;
const cellWidth = 12;
const green = '\u001b[32m';
const red = '\u001b[31m';
const plain = '\u001b[0m';

/**
 * The matrix as a text for people; `colour` for terminals. A red cell begins with a cross in any case, and is
 * explained below.
 */
function chaosReport(proof: ChaosProof, colour: boolean): string {
  const { rows, skipped, cells, red: wrong, answeredWhole, billing } = proof;
  return [
    '',
    'Each cell: what the callers saw while the part was away, and the slowest answer’s beginning. under way: streams that had begun before. back: until all is as in calm.',
    '',
    line(['', ...acts, 'under way', 'back'].map((name, index) => name.padEnd(index === 0 ? nameWidth : cellWidth))),
    ...rows.map((row) => matrixLine(row, colour)),
    '',
    ...rows.flatMap(explain),
    ...skipped,
    `${answeredWhole} generations were answered whole; ${billing.length === 0 ? 'each is billed once, and there are no dead letters.' : 'their bill is wrong:'}`,
    ...billing.slice(0, mostProblems).map((problem) => `✗ ${problem}`),
    proof.holds
      ? `Proved: all ${cells} cells (${rows.length} disturbances) are as declared.`
      : `NOT proved: ${wrong} of ${cells} cells are not as declared${billing.length > 0 ? ', and the bill is wrong' : ''}.`,
  ].join('\n');
}

function matrixLine(row: Row, colour: boolean): string {
  return line([nameOf(row.disturbance).padEnd(nameWidth), ...columns(row).map(([, cell]) => cellText(cell, colour))]);
}

function columns({ acts: cells, underWay, recovery }: Row): [string, Cell][] {
  return [...acts.map((act): [string, Cell] => [act, cells[act]]), ['under way', underWay], ['back', recovery]];
}

function cellText({ seen, slowestMs, problems }: Cell, colour: boolean): string {
  const time = slowestMs === null ? '' : `${(slowestMs / 1_000).toFixed(2)}s`;
  const text = `${problems.length > 0 ? '✗' : ''}${seen.join('/')} ${time}`.trim().padEnd(cellWidth);
  if (!colour) return text;
  return (problems.length > 0 ? red : green) + text + plain;
}

function line(cells: readonly string[]): string {
  return cells.join(' ').trimEnd();
}

function explain(row: Row): string[] {
  const struck = nameOf(row.disturbance);
  return columns(row).flatMap(([name, { problems }]) => problems.map((problem) => `✗ ${struck}, ${name}: ${problem}`));
}
