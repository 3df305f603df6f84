import { RollingLog, windowMs } from '../rolling-log';
import type { LateUnit } from './valkey-log';

/**
 * The units of one key that this edge knows of, by its own clock. `settled`: before Valkey went away;
 * `alone`: since then, by the edge that took them.
 */
export interface KeyUnits {
  readonly settled: RollingLog;
  readonly alone: Map<string, RollingLog>;
}

/**
 * What all edges took of every key in the last 60 seconds: their own units and those that they told one
 * another.
 */
export class UnitLedger {
  private readonly keys = new Map<string, KeyUnits>();

  /** The units of a key that are still in the window. */
  of(keyId: string, nowMs: number): KeyUnits {
    const units = this.keys.get(keyId) ?? { settled: new RollingLog(), alone: new Map<string, RollingLog>() };
    this.keys.set(keyId, units);
    units.settled.expire(nowMs);
    for (const log of units.alone.values()) log.expire(nowMs);
    return units;
  }

  /** `edgeId` null: the unit is settled. */
  add(keyId: string, edgeId: string | null, nowMs: number): void {
    this.logOf(keyId, edgeId, nowMs).push(nowMs);
  }

  /**
   * Which of the units was given back is not known any more: the oldest goes, so that too much is counted
   * rather than too little.
   */
  remove(keyId: string, edgeId: string | null, nowMs: number): void {
    this.logOf(keyId, edgeId, nowMs).removeOldest();
  }

  /** Adds so many units, or removes them where `count` is negative. */
  change(keyId: string, edgeId: string | null, count: number, nowMs: number): void {
    for (let unit = 0; unit < count; unit++) this.add(keyId, edgeId, nowMs);
    for (let unit = 0; unit > count; unit--) this.remove(keyId, edgeId, nowMs);
  }

  /**
   * Nobody counts apart any more what an edge took alone: it is in the common log now, or the edge is gone.
   * Returns its units.
   */
  settle(edgeId: string): { keyId: string; atMs: number }[] {
    const settled: { keyId: string; atMs: number }[] = [];
    for (const [keyId, units] of this.keys) {
      const log = units.alone.get(edgeId);
      if (!log) continue;
      for (let index = 0; index < log.length; index++) settled.push({ keyId, atMs: log.at(index) });
      units.settled.merge(log);
      units.alone.delete(edgeId);
    }
    return settled;
  }

  /**
   * The common log of a key was read: its units with their times, oldest first. What was told since
   * `readAtMs` comes on top.
   */
  reread(keyId: string, times: readonly number[], readAtMs: number): void {
    const known = this.of(keyId, readAtMs);
    const settled = new RollingLog();
    for (const time of times) settled.push(time);
    for (let index = 0; index < known.settled.length; index++) {
      const time = known.settled.at(index);
      if (time >= readAtMs) settled.push(time);
    }
    this.keys.set(keyId, { settled, alone: known.alone });
  }

  /** The ages of all settled units, milliseconds. */
  settledAges(nowMs: number): { keyId: string; ageMs: number }[] {
    return [...this.keys].flatMap(([keyId, { settled }]) => {
      settled.expire(nowMs);
      return Array.from({ length: settled.length }, (_, index) => ({ keyId, ageMs: nowMs - settled.at(index) }));
    });
  }

  /** Forgets keys without units in the window. */
  forgetIdle(nowMs: number): void {
    for (const keyId of this.keys.keys()) {
      const { settled, alone } = this.of(keyId, nowMs);
      if (settled.length === 0 && [...alone.values()].every(({ length }) => length === 0)) this.keys.delete(keyId);
    }
  }

  private logOf(keyId: string, edgeId: string | null, nowMs: number): RollingLog {
    const { settled, alone } = this.of(keyId, nowMs);
    if (edgeId === null) return settled;
    const log = alone.get(edgeId) ?? new RollingLog();
    alone.set(edgeId, log);
    return log;
  }
}

/** A unit that this edge took within its share. `run`: the Valkey that has it; null: none has. */
interface ShareUnit {
  readonly keyId: string;
  readonly member: string;
  readonly atMs: number;
  run: string | null;
}

/** The units that this edge took since Valkey went away, until the common log counts them again. */
export class LateUnits {
  private units: ShareUnit[] = [];

  push(keyId: string, member: string, atMs: number, run: string | null): void {
    this.units.push({ keyId, member, atMs, run });
  }

  remove(member: string): void {
    this.units = this.units.filter((unit) => unit.member !== member);
  }

  /** The units of the last 60 seconds that the Valkey of this run does not have. */
  missingIn(run: string, nowMs: number): LateUnit[] {
    this.units = this.units.filter(({ atMs }) => atMs > nowMs - windowMs);
    return this.units
      .filter((unit) => unit.run !== run)
      .map(({ keyId, member, atMs }) => ({ keyId, member, ageMs: nowMs - atMs }));
  }

  /** These are in the Valkey of this run now. */
  arrived(units: readonly LateUnit[], run: string): void {
    const members = new Set(units.map(({ member }) => member));
    for (const unit of this.units) if (members.has(unit.member)) unit.run = run;
  }

  clear(): void {
    this.units = [];
  }
}
