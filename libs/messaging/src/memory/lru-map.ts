import { TransientMap } from './transient';

/** A map of bounded size: when it is full, the entry that was used longest ago goes. */
export class LruMap<Value> {
  private readonly entries = new TransientMap<string, Value>();

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.entries.size;
  }

  /** Reads an entry and marks it as just used. */
  get(name: string): Value | undefined {
    const value = this.entries.get(name);
    if (value === undefined) return undefined;
    this.entries.delete(name);
    this.entries.set(name, value);
    return value;
  }

  /** Reads an entry without marking it as used. */
  peek(name: string): Value | undefined {
    return this.entries.get(name);
  }

  set(name: string, value: Value): void {
    this.entries.delete(name);
    this.entries.set(name, value);
    if (this.entries.size <= this.capacity) return;
    const oldest = this.entries.keys().next();
    if (!oldest.done) this.entries.delete(oldest.value);
  }

  delete(name: string): void {
    this.entries.delete(name);
  }

  clear(): void {
    this.entries.clear();
  }
}
