import { setTimeout as delay } from 'node:timers/promises';
import { acts } from './acts';
import type { Act, Answer, Fate } from './acts';
import { perform, followStream } from './caller';
import { calm, contract } from './contract';
import type { Disturbance } from './contract';
import { makeCredentials } from './credentials';
import type { Credentials } from './credentials';
import { judgeAnswers, judgeRecovery, judgeStreams } from './judge';
import type { Cell } from './judge';
import { longStream } from './requests';
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
  cells: number;
  red: number;
}

export interface ChaosOptions {
  /** Which disturbances. */
  chosen: (disturbance: Disturbance) => boolean;
  /** When every act is done, milliseconds since the disturbance began. */
  roundsAtMs: readonly number[];
  onProgress: (line: string) => void;
}

/** How long a disturbance lasts at most: its last answers are awaited for this long, and then it ends. */
const longestMs = 7_000;
const calmTimeoutMs = 90_000;
const recoveryTimeoutMs = 60_000;
const pollMs = 150;
const streamsPerEdge = 4;
/** Time for the streams to be under way. */
const openingMs = 700;

/** Disturbs one part after the other, and does everything a caller does before, during and after it. */
export async function proveChaos(site: Site, { chosen, roundsAtMs, onProgress }: ChaosOptions): Promise<ChaosProof> {
  const credentials = await makeCredentials(site.stack);
  const rows: Row[] = [];
  for (const disturbance of contract.filter(chosen)) {
    const row = await disturb(site, credentials, disturbance, roundsAtMs);
    rows.push(row);
    const red = cellsOf(row).filter(({ problems }) => problems.length > 0).length;
    onProgress(`${disturbance.part} ${disturbance.harm}: ${red === 0 ? 'as declared' : `${red} cells are red`}`);
  }
  const cells = rows.flatMap(cellsOf);
  return { rows, cells: cells.length, red: cells.filter(({ problems }) => problems.length > 0).length };
}

/** Every cell of a row. */
function cellsOf({ acts: cells, underWay, recovery }: Row): Cell[] {
  return [...Object.values(cells), underWay, recovery];
}

async function disturb(
  site: Site,
  credentials: Credentials,
  disturbance: Disturbance,
  roundsAtMs: readonly number[],
): Promise<Row> {
  const before = await recover(site, credentials, calmTimeoutMs);
  if (before.afterMs === null) throw new Error(`There is no calm to disturb: ${before.act} is not as in calm.`);
  const streams = openStreams(site, credentials);
  await delay(openingMs);
  const strike = strikeOf(site, disturbance.part, disturbance.harm);
  await strike.begin();
  const answers: Promise<Answer[]>[] = [];
  const beganAt = performance.now();
  for (const atMs of roundsAtMs) {
    await delay(Math.max(0, beganAt + atMs - performance.now()));
    answers.push(doEverything(site, credentials));
  }
  await Promise.race([Promise.all(answers), delay(longestMs, undefined, { ref: false })]);
  await strike.end();
  const recovery = await recover(site, credentials, recoveryTimeoutMs);
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

function openStreams(site: Site, { apiKey }: Credentials): Promise<Fate[]> {
  const asked = longStream(apiKey);
  return Promise.all(
    site.stack.baseUrls.flatMap((url) => Array.from({ length: streamsPerEdge }, () => followStream(asked, url))),
  );
}

/** Every act at every edge that lives. */
async function doEverything(site: Site, credentials: Credentials): Promise<Answer[]> {
  const edges = await site.liveEdges();
  return Promise.all(edges.flatMap((url) => acts.map((act) => perform(act, credentials, url))));
}

/** Does every act until it is answered as in calm by every edge. Returns the one that took longest, and how long; null: it was not within `timeoutMs`. */
async function recover(
  site: Site,
  credentials: Credentials,
  timeoutMs: number,
): Promise<{ act: Act; afterMs: number | null }> {
  const startedAt = performance.now();
  const untilCalm = async (act: Act): Promise<{ act: Act; afterMs: number | null }> => {
    while (performance.now() - startedAt < timeoutMs) {
      const answers = await Promise.all(site.stack.baseUrls.map((url) => perform(act, credentials, url)));
      if (judgeAnswers(answers, calm[act]).problems.length === 0)
        return { act, afterMs: performance.now() - startedAt };
      await delay(pollMs);
    }
    return { act, afterMs: null };
  };
  const all = await Promise.all(acts.map(untilCalm));
  return all.reduce((slowest, one) => ((one.afterMs ?? Infinity) > (slowest.afterMs ?? Infinity) ? one : slowest));
}
