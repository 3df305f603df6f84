import { RollingLog, windowMs } from '../rolling-log';
import type { KeyUnits } from './unit-ledger';

/** When the newest of a key's units leaves the window; `nowMs` when there is none. */
export function emptyAtMs({ settled, alone }: KeyUnits, nowMs: number): number {
  const logs = [settled, ...alone.values()].filter(({ length }) => length > 0);
  return Math.max(nowMs, ...logs.map((log) => log.at(log.length - 1) + windowMs));
}

/** What one edge may take alone, and when it may take the next unit; times on the clock of the log. */
export interface ShareState {
  /** How many more this edge may take now. */
  readonly remaining: number;
  /** When this edge has room again; now when it has. Infinity: its share is nothing. */
  readonly roomAtMs: number;
}

const nothing = new RollingLog();

/**
 * The share of the edge at `rank` (0: the oldest) when `units` are divided among `edges`: the shares sum up
 * to `units`, and none shrinks when `units` grows.
 */
function shareOf(units: number, edges: number, rank: number): number {
  if (units <= 0) return 0;
  return Math.floor(units / edges) + (rank < units % edges ? 1 : 0);
}

/**
 * While Valkey is away, an edge takes at most its share of what the settled units leave of the limit. Settled
 * units are the same for all edges, so settled + the sum of all shares <= limit: no 60 seconds see more,
 * although no edge knows what the others do at this moment.
 * `edges` are the ids of all live edges, the oldest first.
 */
export function shareState(
  units: KeyUnits,
  limit: number,
  edges: readonly string[],
  edgeId: string,
  nowMs: number,
): ShareState {
  const rank = edges.indexOf(edgeId);
  const own = units.alone.get(edgeId) ?? nothing;
  const { settled } = units;
  const room = (settledGone: number, ownGone: number) =>
    shareOf(limit - (settled.length - settledGone), edges.length, rank) - (own.length - ownGone);
  let [settledGone, ownGone, roomAtMs] = [0, 0, nowMs];
  while (room(settledGone, ownGone) <= 0) {
    const nextSettledMs = settledGone < settled.length ? settled.at(settledGone) : Infinity;
    const nextOwnMs = ownGone < own.length ? own.at(ownGone) : Infinity;
    roomAtMs = Math.min(nextSettledMs, nextOwnMs) + windowMs;
    if (roomAtMs === Infinity) break;
    if (nextSettledMs <= nextOwnMs) settledGone++;
    else ownGone++;
  }
  return { remaining: Math.max(0, room(0, 0)), roomAtMs };
}
