import { windowMs } from '../rolling-log';
import type { LateUnit } from './valkey-log';

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
