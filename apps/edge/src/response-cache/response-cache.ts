import type { KeptAnswer } from './kept-answer';

/** An answer beside its times, monotonic milliseconds. */
interface Entry {
  readonly answer: KeptAnswer;
  readonly keptAtMs: number;
  readonly endsAtMs: number;
}

/** Where an answer is kept: nobody of another account finds it there. */
export interface CachedAt {
  readonly accountId: string;
  readonly name: string;
}

/** The answers of one account, the one that was used longest ago first. */
interface Shelf {
  readonly entries: Map<string, Entry>;
  bytes: number;
}

/** What an entry takes beside the bytes of its answer, about. */
const entryCost = 1_024;

/** What has ended is looked for once in so long at most, milliseconds. */
const sweepEveryMs = 1_000;

/**
 * Answers of one edge by their names, up to a number of bytes. What has ended makes room, where that was not
 * looked for just before, then of the account that has most the answer that was used longest ago.
 */
export class ResponseCache {
  private readonly shelves = new Map<string, Shelf>();
  private held = 0;
  private sweptAtMs = Number.NEGATIVE_INFINITY;

  /** `memory` in bytes. */
  constructor(private readonly memory: number) {}

  /** Bytes that are held now. */
  get bytes(): number {
    return this.held;
  }

  /** The answer of this name and its age in milliseconds; null: there is none, or its time is over. */
  find(at: CachedAt, nowMs: number): { answer: KeptAnswer; ageMs: number } | null {
    const entry = this.take(at);
    if (!entry || entry.endsAtMs <= nowMs) return null;
    this.add(at, entry);
    return { answer: entry.answer, ageMs: nowMs - entry.keptAtMs };
  }

  /** Keeps an answer in the place of an older one. */
  keep(at: CachedAt, answer: KeptAnswer, nowMs: number, ttlMs: number): void {
    this.take(at);
    if (answer.bytes + entryCost > this.memory) return;
    this.add(at, { answer, keptAtMs: nowMs, endsAtMs: nowMs + ttlMs });
    if (this.held > this.memory) this.sweep(nowMs);
    while (this.held > this.memory) this.makeRoom();
  }

  private sweep(nowMs: number): void {
    if (nowMs - this.sweptAtMs < sweepEveryMs) return;
    this.sweptAtMs = nowMs;
    for (const [accountId, { entries }] of this.shelves)
      for (const [name, { endsAtMs }] of entries) if (endsAtMs <= nowMs) this.take({ accountId, name });
  }

  private makeRoom(): void {
    let most: [accountId: string, shelf: Shelf] | null = null;
    for (const one of this.shelves) if (!most || one[1].bytes > most[1].bytes) most = one;
    const [oldest] = most?.[1].entries.keys() ?? [];
    if (most && oldest !== undefined) this.take({ accountId: most[0], name: oldest });
  }

  private add({ accountId, name }: CachedAt, entry: Entry): void {
    const shelf = this.shelves.get(accountId) ?? { entries: new Map<string, Entry>(), bytes: 0 };
    this.shelves.set(accountId, shelf);
    shelf.entries.set(name, entry);
    this.count(shelf, entry, 1);
  }

  /** Null: there is none of this name. */
  private take({ accountId, name }: CachedAt): Entry | null {
    const shelf = this.shelves.get(accountId);
    const entry = shelf?.entries.get(name);
    if (!shelf || !entry) return null;
    shelf.entries.delete(name);
    this.count(shelf, entry, -1);
    if (shelf.entries.size === 0) this.shelves.delete(accountId);
    return entry;
  }

  private count(shelf: Shelf, { answer }: Entry, times: 1 | -1): void {
    const bytes = times * (answer.bytes + entryCost);
    shelf.bytes += bytes;
    this.held += bytes;
  }
}
