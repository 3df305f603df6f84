import type { KeptAnswer } from './kept-answer';

/** An answer beside its times, monotonic milliseconds. */
interface Entry {
  readonly answer: KeptAnswer;
  readonly keptAtMs: number;
  readonly endsAtMs: number;
}

/** What an entry takes beside the bytes of its answer, about. */
const entryCost = 1_024;

/**
 * Answers of one edge by their names, up to a number of bytes: the one that was used longest ago makes room.
 * What has ended goes when it is met, or makes room.
 */
export class ResponseCache {
  private readonly entries = new Map<string, Entry>();
  private held = 0;

  /** `memory` in bytes. */
  constructor(private readonly memory: number) {}

  /** Bytes that are held now. */
  get bytes(): number {
    return this.held;
  }

  /** The answer of this name and its age in milliseconds; null: there is none, or its time is over. */
  find(name: string, nowMs: number): { answer: KeptAnswer; ageMs: number } | null {
    const entry = this.entries.get(name);
    if (!entry) return null;
    this.remove(name, entry);
    if (entry.endsAtMs <= nowMs) return null;
    this.add(name, entry);
    return { answer: entry.answer, ageMs: nowMs - entry.keptAtMs };
  }

  /** Keeps an answer in the place of an older one. */
  keep(name: string, answer: KeptAnswer, nowMs: number, ttlMs: number): void {
    const older = this.entries.get(name);
    if (older) this.remove(name, older);
    if (answer.bytes + entryCost > this.memory) return;
    this.add(name, { answer, keptAtMs: nowMs, endsAtMs: nowMs + ttlMs });
    for (const [oldest, entry] of this.entries) {
      if (this.held <= this.memory) break;
      this.remove(oldest, entry);
    }
  }

  private add(name: string, entry: Entry): void {
    this.entries.set(name, entry);
    this.held += entry.answer.bytes + entryCost;
  }

  private remove(name: string, entry: Entry): void {
    this.entries.delete(name);
    this.held -= entry.answer.bytes + entryCost;
  }
}
