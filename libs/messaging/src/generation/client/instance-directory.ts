/** Which instances edge has heard of, and when (in ticks). */
export class InstanceDirectory {
  private readonly heardAt = new Map<string, number>();

  heard(instance: string, now: number): void {
    this.heardAt.set(instance, now);
  }

  /** Every one that is not forgotten. */
  get all(): Iterable<string> {
    return this.heardAt.keys();
  }

  /** True when `instances` holds every one that was heard at `since` or later. */
  coveredBy(instances: Pick<ReadonlyMap<string, unknown>, 'has'>, since: number): boolean {
    for (const [instance, at] of this.heardAt) if (at >= since && !instances.has(instance)) return false;
    return true;
  }

  forgetBefore(tick: number): void {
    for (const [instance, at] of this.heardAt) if (at < tick) this.heardAt.delete(instance);
  }
}
