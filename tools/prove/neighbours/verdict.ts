import { median } from '../../bench/percentiles';
import type { Endings } from './attack';
import type { Standstill } from './standstills';
import type { VictimRound } from './victim';
import type { CoresUsed } from './work';

/** What was seen of one kind of attacker. */
export interface Observation {
  attack: string;
  endings: Endings;
  /** How none of the attacker's own requests may end; null: as they like. */
  never: RegExp | null;
  /** Rounds alone: one before each round beside the attacker, and one behind the last. */
  alone: VictimRound[];
  beside: VictimRound[];
  /**
   * The part of the CPU time beside the attacker that the gateway and its servers used, 0 to 1; the rest is
   * that of attacker, victim and providers.
   */
  gatewayShare: number;
  /** Who had how much of the machine beside the attacker: for people, nothing is judged by it. */
  cores: CoresUsed;
  /** Which processes stood still, the longest first: for people, nothing is judged by it. */
  standstills: Standstill[];
  memory: MemoryCourse[];
  /** Edge and inference processes that were not the same any more afterwards. */
  restarted: string[];
  /**
   * From the end of the attack until the victim was well again, milliseconds; null: not within the patience.
   */
  wellAfterMs: number | null;
}

/**
 * The memory of one edge or inference process, bytes: before the attack, at most meanwhile, and when it was
 * waited for afterwards.
 */
export interface MemoryCourse {
  process: string;
  beforeBytes: number;
  mostBytes: number;
  afterBytes: number;
  /** Before the first attack of all: what memory must come back to, so that many attacks do not add up. */
  firstBytes: number;
}

/**
 * Whether times are judged: to the millisecond only over three rounds of a quiet machine, and roughly
 * otherwise (`quiet`), always so, or never.
 */
export type TimesJudged = 'quiet' | 'always' | 'never';

/** What a victim may notice of its neighbour. */
export interface Bounds {
  times: TimesJudged;
  /** What the 99th percentile may be above the victim's own, milliseconds. */
  extraMs: number;
  /**
   * What a process may gain over what it held before the attack, and what it may keep over what it held
   * before all of them.
   */
  gainBytes: number;
  keptBytes: number;
}

const mebibyte = 1024 * 1024;
/**
 * What an edge may gain: large bodies in half of EDGE_BODY_MEMORY (256 MiB), and two threads that parse them
 * (256 MB each).
 */
export const promised: Bounds = { times: 'quiet', extraMs: 5, gainBytes: 768 * mebibyte, keptBytes: 384 * mebibyte };

/**
 * What is judged of times while the machine is not quiet: a request passes the gateway in several processes,
 * each of which waits for a core as one past the gateway does once. What the machine varies by itself is
 * therefore weighed.
 * What requests past the gateway lost beside the attack is granted once more only, as the attack itself may
 * be its cause.
 */
const coarseMs = 250;
const unrestWeight = 5;

/**
 * The 99th percentiles of the victim, milliseconds: the median of the rounds. `machineMs`: what requests past
 * the gateway lost meanwhile, without the part that is the gateway's own work: it shares its cores with those
 * requests.
 */
export interface Levels {
  aloneMs: number;
  besideMs: number;
  machineMs: number;
  /** What requests past the gateway differed in among the rounds alone: what else the machine does. */
  unrestMs: number;
}

export function levelsOf({
  alone,
  beside,
  gatewayShare,
}: Pick<Observation, 'alone' | 'beside' | 'gatewayShare'>): Levels {
  const middle = (rounds: readonly VictimRound[], of: 'p99Ms' | 'directP99Ms') =>
    median(rounds.map((round) => round[of]));
  const directAlone = alone.map(({ directP99Ms }) => directP99Ms);
  return {
    aloneMs: middle(alone, 'p99Ms'),
    besideMs: middle(beside, 'p99Ms'),
    machineMs: Math.max(0, middle(beside, 'directP99Ms') - middle(alone, 'directP99Ms')) * (1 - gatewayShare),
    unrestMs: Math.max(...directAlone) - Math.min(...directAlone),
  };
}

/** Whether the times of these rounds say of the gateway what they say to the millisecond. */
export function judgesTimes(seen: Observation, { times, extraMs }: Bounds): boolean {
  // The median of fewer rounds is what one of them happened to be.
  const isEnough = seen.beside.length >= 3;
  return times === 'always' || (times === 'quiet' && isEnough && levelsOf(seen).unrestMs <= extraMs);
}

/**
 * What the victim may lose: on a machine that does other things, at least what nobody could take for them.
 */
function mostLostMs(seen: Observation, bounds: Bounds): number {
  if (judgesTimes(seen, bounds)) return bounds.extraMs;
  if (bounds.times === 'never') return Infinity;
  const { unrestMs, machineMs } = levelsOf(seen);
  return coarseMs + unrestWeight * unrestMs + machineMs;
}

/** A sentence for each thing that the victim should not have noticed. */
export function complaints(seen: Observation, bounds: Bounds): string[] {
  const { wellAfterMs, restarted } = seen;
  const told = [
    ...complaintsOfRounds('beside it', seen.beside),
    ...complaintsOfRounds('alone', seen.alone),
    ...seen.memory.flatMap((course) => complaintsOfMemory(course, bounds)),
    ...restarted.map((process) => `${process} was started anew`),
  ];
  if (wellAfterMs === null) told.push('the victim was not well again');
  const { aloneMs, besideMs, machineMs } = levelsOf(seen);
  const lostMs = besideMs - aloneMs - machineMs;
  if (lostMs > mostLostMs(seen, bounds)) told.push(`p99 ${lostMs.toFixed(1)} ms above its own level`);
  const fallen = Object.entries(seen.endings).filter(([ending]) => seen.never?.test(ending));
  for (const [ending, count] of fallen) told.push(`${count} of the attacker's own requests ended with ${ending}`);
  if (!didWhatItIsCalled(seen)) told.push(`the attack was none: ${JSON.stringify(seen.endings)}`);
  return told;
}

function complaintsOfRounds(when: string, rounds: readonly VictimRound[]): string[] {
  const failures = new Map<string, number>();
  for (const round of rounds)
    for (const [problem, count] of Object.entries(round.failures))
      failures.set(problem, (failures.get(problem) ?? 0) + count);
  const requests = rounds.reduce((sum, round) => sum + round.requests, 0);
  const rerouted = rounds.reduce((sum, round) => sum + round.rerouted, 0);
  const routes = [...new Set(rounds.flatMap(({ otherRoutes }) => otherRoutes ?? []))].map((route) => ` (${route})`);
  return [
    ...[...failures].map(([problem, count]) => `${count} of ${requests} failed ${when}: ${problem}`),
    ...(rerouted > 0 ? [`${rerouted} of ${requests} came by another route ${when}${routes.join('')}`] : []),
  ];
}

/** Whether memory came back to what a process held before all attacks, and what it may keep. */
export function isBack({ firstBytes, afterBytes }: MemoryCourse, { keptBytes }: Bounds): boolean {
  return afterBytes <= firstBytes + keptBytes;
}

function complaintsOfMemory(course: MemoryCourse, bounds: Bounds): string[] {
  const { process, firstBytes, beforeBytes, mostBytes, afterBytes } = course;
  const gained = mostBytes - beforeBytes;
  return [
    ...(gained > bounds.gainBytes ? [`${process} took ${mebibytes(gained)} more memory`] : []),
    ...(isBack(course, bounds) ? [] : [`${process} kept ${mebibytes(afterBytes - firstBytes)} of memory`]),
  ];
}

/**
 * An attack that never came through proves nothing: one whose name begins with a status, with `left`, or with
 * what is told of a turn over WebSocket (`completed or error: …`: either), has seen it, and no attack was
 * refused at the socket alone.
 */
function didWhatItIsCalled({ attack, endings }: Observation): boolean {
  const told = Object.keys(endings).filter((ending) => ending !== 'ECONNREFUSED');
  const reached = /^(?:(?:\d{3}|left|created|completed|error)(?: or |(?=:)))+(?=:)/.exec(attack)?.[0].split(' or ');
  return reached ? reached.some((ending) => told.includes(ending)) : told.length > 0;
}

export function mebibytes(bytes: number): string {
  return `${Math.round(bytes / mebibyte)} MiB`;
}
