import { windowMs } from '../../rolling-log';
import { SimulatedFleet } from './fleet';
import type { Asked } from './fleet';
import { Chance } from '@tollgate/testing';

export type Strike =
  | 'kill valkey'
  | 'freeze valkey'
  | 'cut an edge from valkey'
  | 'cut an edge from the bus'
  | 'hold an edge on the bus'
  | 'freeze an edge'
  | 'kill an edge'
  | 'stop an edge'
  | 'start an edge';

/**
 * What came of one schedule. `worst`: the most requests of one key that were asked and answered within 60
 * seconds; `limit`: how many may be.
 */
export interface Outcome {
  readonly worst: number;
  readonly limit: number;
  readonly isSharedAtEnd: boolean;
  /**
   * Of a whole limit that was asked for at the end, when all was well for two minutes: how many were
   * admitted.
   */
  readonly usedAtEnd: number;
  /** What edges told one another while they started together. */
  readonly noticesAtStart: number;
  readonly story: readonly string[];
}

const strikesForMs = 70_000;
const calmMs = 130_000;

/** Plays one schedule of requests and strikes that follows from its seed. */
export async function playSchedule(seed: number, strikes: readonly [Strike, ...Strike[]]): Promise<Outcome> {
  const chance = new Chance(seed);
  const limit = 2 + chance.below(11);
  const fleet = new SimulatedFleet(chance, {
    slowestMs: chance.pick([5, 50, 300]),
    doubled: chance.happens(0.2) ? 0.05 : 0,
    outOfOrder: chance.happens(0.2),
  });
  const story: string[] = [];
  const count = 2 + chance.below(3);
  const { time } = fleet;
  for (let edge = 0; edge < count; edge++) time.at(edge * chance.between(0, 50), () => void fleet.start());
  const firstMs = 5_000;
  planRequests(fleet, chance, limit, firstMs);
  for (let strike = 1 + chance.below(4); strike > 0; strike--) {
    const kind = chance.pick(strikes);
    const atMs = firstMs + chance.between(0, strikesForMs);
    time.at(atMs, () => story.push(`${atMs.toFixed(0)} ${kind}: ${strikeFleet(fleet, chance, kind)}`));
    if (chance.happens(0.5)) flood(fleet, chance, limit, atMs - 2);
  }
  await time.playUntil(firstMs);
  const noticesAtStart = fleet.notices;
  await time.playUntil(firstMs + strikesForMs + calmMs);
  const isSharedAtEnd = fleet.edges.every(({ isGone, store }) => isGone || store.isShared);
  const last = alive(fleet).flatMap((edge) => Array.from({ length: limit }, () => fleet.ask(edge, 'key', limit)));
  await time.playUntil(time.nowMs + 1_000);
  const usedAtEnd = last.filter(({ admitted }) => admitted).length;
  return { worst: mostInAWindow(fleet.asked), limit, isSharedAtEnd, usedAtEnd, noticesAtStart, story };
}

function planRequests(fleet: SimulatedFleet, chance: Chance, limit: number, firstMs: number): void {
  const { time } = fleet;
  for (let atMs = firstMs; atMs < firstMs + strikesForMs + 60_000; atMs += chance.between(50, 2_500)) {
    time.at(atMs, () => askSomebody(fleet, chance, limit));
    if (chance.happens(0.05)) flood(fleet, chance, limit, atMs);
  }
}

/** Everybody wants more than there is, within a moment. */
function flood(fleet: SimulatedFleet, chance: Chance, limit: number, fromMs: number): void {
  const overMs = chance.pick([5, 100, 1_000]);
  for (let request = 0; request < 2 * limit; request++)
    fleet.time.at(fromMs + chance.between(0, overMs), () => askSomebody(fleet, chance, limit));
}

function askSomebody(fleet: SimulatedFleet, chance: Chance, limit: number): void {
  const edges = alive(fleet);
  const edge = edges[chance.below(edges.length)];
  if (!edge) return;
  const asked = fleet.ask(edge, 'key', limit);
  const { time } = fleet;
  if (chance.happens(0.05)) time.at(time.nowMs + chance.between(1, 50), () => fleet.giveBack(asked));
}

function alive(fleet: SimulatedFleet) {
  return fleet.edges.filter(({ isGone, isBusy }) => !isGone && !isBusy);
}

function strikeFleet(fleet: SimulatedFleet, chance: Chance, strike: Strike): string {
  const { time, valkey } = fleet;
  const forMs = chance.pick([chance.between(10, 600), chance.between(600, 5_000), chance.between(5_000, 30_000)]);
  const edges = alive(fleet);
  const edge = edges[chance.below(edges.length)];
  if (strike === 'kill valkey') {
    valkey.kill();
    time.at(time.nowMs + forMs, () => valkey.start());
  } else if (strike === 'freeze valkey') {
    valkey.freeze(forMs);
  } else if (strike === 'start an edge') {
    if (fleet.edges.length < 6) void fleet.start();
  } else if (edge) {
    if (strike === 'cut an edge from valkey') edge.log.cut(forMs);
    if (strike === 'freeze an edge') edge.clock.freeze(forMs);
    if (strike.endsWith('on the bus') || strike.endsWith('from the bus')) {
      edge.cutUntilMs = time.nowMs + forMs;
      edge.isHeld = strike.startsWith('hold');
    }
    if (edges.length > 1 && strike === 'kill an edge') fleet.kill(edge);
    if (edges.length > 1 && strike === 'stop an edge') fleet.stop(edge);
  }
  return `${edge?.id ?? 'none'} for ${forMs.toFixed(0)} ms`;
}

/**
 * The most admitted requests that were asked and answered within one span of 60 seconds: whenever each of
 * them was decided, it was within that span.
 */
function mostInAWindow(asked: readonly Asked[]): number {
  const admitted = asked
    .filter(({ admitted, isBack }) => admitted && !isBack)
    .map(({ askedMs, answeredMs }) => ({ askedMs, answeredMs: answeredMs ?? Infinity }));
  const within = ({ askedMs }: { askedMs: number }) =>
    admitted.filter((one) => one.askedMs >= askedMs && one.answeredMs < askedMs + windowMs).length;
  return Math.max(0, ...admitted.map(within));
}
