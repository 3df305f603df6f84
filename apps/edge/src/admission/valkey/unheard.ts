interface Told {
  readonly sequence: number;
  readonly toldAtMs: number;
  /** How many edges it knew of, itself included. */
  readonly edges: number;
}

/** What an edge took and has not heard itself say yet: if it were gone now, nobody else might know of it. */
export class Unheard {
  /** The oldest first. */
  private notices: (Told & { units: ReadonlyMap<string, number> })[] = [];
  /** Units that it took since the last notice, by key, those that it gave back included. */
  private untold = new Map<string, number>();
  private readonly units = new Map<string, number>();
  /** How many edges the newest notice knew of that it heard. */
  private heardEdges = 1;
  private waiting: { sequence: number; resolve: () => void }[] = [];

  took(keyId: string, units: number): void {
    if (units <= 0) return;
    this.units.set(keyId, this.unitsOf(keyId) + units);
    this.untold.set(keyId, (this.untold.get(keyId) ?? 0) + units);
  }

  /** It told all that it took until now. */
  told(notice: Told): void {
    this.notices.push({ ...notice, units: this.untold });
    this.untold = new Map();
  }

  /** When the notice was told that it heard now, with all before it; null: nobody waits for such a one. */
  heard(sequence: number): number | null {
    const heard = this.notices.find((notice) => notice.sequence === sequence);
    if (!heard) return null;
    for (const { units } of this.notices.filter((notice) => notice.sequence <= sequence))
      for (const [keyId, count] of units) {
        const left = this.unitsOf(keyId) - count;
        if (left > 0) this.units.set(keyId, left);
        else this.units.delete(keyId);
      }
    this.heardEdges = heard.edges;
    this.notices = this.notices.filter((notice) => notice.sequence > sequence);
    const known = this.waiting.filter((one) => one.sequence <= sequence);
    this.waiting = this.waiting.filter((one) => one.sequence > sequence);
    for (const { resolve } of known) resolve();
    return heard.toldAtMs;
  }

  unitsOf(keyId: string): number {
    return this.units.get(keyId) ?? 0;
  }

  /** The most edges that it may be known to count. */
  get edges(): number {
    return Math.max(this.heardEdges, ...this.notices.map(({ edges }) => edges));
  }

  /** Resolves when it has heard that notice. */
  whenHeard(sequence: number): Promise<void> {
    return new Promise((resolve) => this.waiting.push({ sequence, resolve }));
  }

  hasHeard(sequence: number): boolean {
    return !this.notices.some((notice) => notice.sequence <= sequence);
  }

  clear(): void {
    this.notices = [];
    this.untold.clear();
    this.units.clear();
  }
}
