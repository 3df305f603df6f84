import { meteringOperations } from '@tollgate/contracts/metering';
import { setTimeout as delay } from 'node:timers/promises';
import { notBilledOnce } from '../billed';
import { acts } from './acts';
import type { Act, Answer, Fate } from './acts';
import { Callers } from './caller';
import { calm, contract, nameOf } from './contract';
import type { Disturbance, Expectation } from './contract';
import { makeCredentials } from './credentials';
import { judgeAnswers, judgeRecovery, judgeStreams } from './judge';
import type { Cell } from './judge';
import type { Site } from './site';
import { strikeOf } from './strikes';

/** A row of the matrix: what was seen in each column. */
export interface Row {
  disturbance: Disturbance;
  acts: Record<Act, Cell>;
  underWay: Cell;
  recovery: Cell;
}

export interface ChaosProof {
  rows: Row[];
  /** A sentence for each chosen disturbance that this machine cannot make. */
  skipped: string[];
  cells: number;
  red: number;
  /** Generations that were answered whole, in calm too. */
  answeredWhole: number;
  /** A sentence for each of these that was not billed exactly once, and one if there are dead letters. */
  billing: string[];
  holds: boolean;
}

export interface ChaosOptions {
  /** Which disturbances. */
  chosen: (disturbance: Disturbance) => boolean;
  /** When every act is done, milliseconds since the disturbance began. */
  roundsAtMs: readonly number[];
  /** Declared times are multiplied by this: 1 on a machine that does nothing else. */
  patience: number;
  onProgress: (line: string) => void;
}

/** How long the last answers of a disturbance are awaited. Then it ends, unless it lasts longer by itself. */
const longestMs = 7_000;
const calmTimeoutMs = 90_000;
const recoveryTimeoutMs = 60_000;
const pollMs = 150;
const billingTimeoutMs = 60_000;
const streamsPerEdge = 4;
/** Time for the streams to be under way. */
const openingMs = 700;

/** Disturbs one part after the other, and does everything a caller does before, during and after it. */
export async function proveChaos(site: Site, options: ChaosOptions): Promise<ChaosProof> {
  const { stack } = site;
  const callers = new Callers(await makeCredentials(stack), `chaos-${Date.now().toString(36)}`);
  const chosen = contract.filter(options.chosen).map((declared) => withPatience(declared, options.patience));
  const rows: Row[] = [];
  const skipped: string[] = [];
  for (const disturbance of chosen) {
    const { part, harm } = disturbance;
    const name = nameOf(disturbance);
    const obstacle = site.obstacle(part, harm);
    if (obstacle !== null) {
      skipped.push(`${name} was left out: ${obstacle}`);
      continue;
    }
    const row = await disturb(site, callers, disturbance, options);
    rows.push(row);
    const red = cellsOf(row).filter(({ problems }) => problems.length > 0).length;
    options.onProgress(`${name}: ${red === 0 ? 'as declared' : `${red} cells are red`}`);
  }
  const billing = await checkBills(site, callers);
  const cells = rows.flatMap(cellsOf);
  const red = cells.filter(({ problems }) => problems.length > 0).length;
  const { length: answeredWhole } = callers.answeredWhole;
  return { rows, skipped, cells: cells.length, red, answeredWhole, billing, holds: red === 0 && billing.length === 0 };
}

function withPatience(disturbance: Disturbance, patience: number): Disturbance {
  const { expected, recoversWithinMs } = disturbance;
  return { ...disturbance, expected: patiently(expected, patience), recoversWithinMs: recoversWithinMs * patience };
}

function patiently(expected: Record<Act, Expectation>, patience: number): Record<Act, Expectation> {
  const longer = acts.map((act) => [act, { ...expected[act], withinMs: expected[act].withinMs * patience }]);
  return Object.fromEntries(longer) as Record<Act, Expectation>;
}

/** Whatever was disturbed: each whole answer is billed once, and nothing was put aside as unreadable. */
async function checkBills({ stack }: Site, { run, answeredWhole }: Callers): Promise<string[]> {
  const problems = await notBilledOnce(stack.databaseUrl, run, answeredWhole, billingTimeoutMs);
  const { deadLetters, pendingEvents } = await stack.call(meteringOperations.status, {});
  if (problems.length > 0) problems.push(`${pendingEvents} messages wait for metering`);
  if (deadLetters > 0) problems.push(`${deadLetters} dead letters`);
  return problems;
}

/** Every cell of a row. */
function cellsOf({ acts: cells, underWay, recovery }: Row): Cell[] {
  return [...Object.values(cells), underWay, recovery];
}

async function disturb(
  site: Site,
  callers: Callers,
  disturbance: Disturbance,
  { roundsAtMs, patience }: ChaosOptions,
): Promise<Row> {
  const before = await recover(site, callers, patience, calmTimeoutMs);
  if (before.afterMs === null) throw new Error(`There is no calm to disturb: ${before.act} is not as in calm.`);
  const streams = openStreams(site, callers);
  await delay(openingMs);
  const strike = strikeOf(site, disturbance.part, disturbance.harm);
  await strike.begin();
  const answers: Promise<Answer[]>[] = [];
  const beganAt = performance.now();
  for (const atMs of roundsAtMs) {
    await delay(Math.max(0, beganAt + atMs - performance.now()));
    answers.push(doEverything(site, callers));
  }
  await Promise.race([Promise.all(answers), delay(longestMs, undefined, { ref: false })]);
  await delay(Math.max(0, beganAt + disturbance.lastsMs - performance.now()));
  await strike.end();
  const recovery = await recover(site, callers, patience, recoveryTimeoutMs);
  const seen = (await Promise.all(answers)).flat();
  const cells = acts.map((act) => {
    const ofAct = seen.filter((answer) => answer.act === act);
    return [act, judgeAnswers(ofAct, disturbance.expected[act])];
  });
  return {
    disturbance,
    acts: Object.fromEntries(cells) as Record<Act, Cell>,
    underWay: judgeStreams(await streams, disturbance),
    recovery: judgeRecovery(recovery, disturbance),
  };
}

function openStreams(site: Site, callers: Callers): Promise<Fate[]> {
  return Promise.all(
    site.stack.baseUrls.flatMap((url) => Array.from({ length: streamsPerEdge }, () => callers.followStream(url))),
  );
}

/** Every act at every edge that lives. */
async function doEverything(site: Site, callers: Callers): Promise<Answer[]> {
  const edges = await site.liveEdges();
  return Promise.all(edges.flatMap((url) => acts.map((act) => callers.perform(act, url))));
}

/**
 * Does every act until it is answered as in calm by every edge. Returns the one that took longest, and how
 * long; null: it was not within `timeoutMs`.
 */
async function recover(
  site: Site,
  callers: Callers,
  patience: number,
  timeoutMs: number,
): Promise<{ act: Act; afterMs: number | null }> {
  const expected = patiently(calm, patience);
  const startedAt = performance.now();
  const untilCalm = async (act: Act): Promise<{ act: Act; afterMs: number | null }> => {
    while (performance.now() - startedAt < timeoutMs) {
      const answers = await Promise.all(site.stack.baseUrls.map((url) => callers.perform(act, url)));
      if (judgeAnswers(answers, expected[act]).problems.length === 0)
        return { act, afterMs: performance.now() - startedAt };
      await delay(pollMs);
    }
    return { act, afterMs: null };
  };
  const all = await Promise.all(acts.map(untilCalm));
  return all.reduce((slowest, one) => ((one.afterMs ?? Infinity) > (slowest.afterMs ?? Infinity) ? one : slowest));
}
