import { Injectable } from '@nestjs/common';
import { TransientMap, TransientSet } from '@tollgate/messaging';
import { leavingTurns } from '../generation/in-turns';
import { mayGenerate } from './authenticator';
import { KeyDirectory } from './key-directory';
import { Clock } from '../clock';
import { EdgeMetrics } from '../edge-metrics';
import type { Generation } from '../generation/generation';

/** What goes on for a caller whose key may change meanwhile. */
interface Open {
  readonly digest: string;
}

/**
 * What is open, by the key that it was opened with. It is ended where its key may not generate any more, also
 * where that was said while this edge could not hear it.
 */
export class OpenByKey<Each extends Open> {
  private readonly byDigest = new TransientMap<string, TransientSet<Each>>();

  /**
   * `end` gets what was opened with such a key, and has it removed when it is over. Of hundreds that one key
   * has open a few end in a turn of the event loop.
   */
  constructor(
    private readonly directory: KeyDirectory,
    end: (each: Each) => void,
  ) {
    directory.onChange((digest, key) => {
      if (key && mayGenerate(key)) return;
      for (const each of this.byDigest.get(digest) ?? [])
        leavingTurns.soon(() => {
          if (this.isOpen(each)) end(each);
        });
    });
    directory.onMissed(() => this.askForKeys());
  }

  add(each: Each): void {
    const siblings = this.byDigest.get(each.digest) ?? new TransientSet();
    siblings.add(each);
    this.byDigest.set(each.digest, siblings);
  }

  /** Whether it was there. */
  remove(each: Each): boolean {
    const siblings = this.byDigest.get(each.digest);
    const wasThere = siblings?.delete(each) ?? false;
    if (siblings?.size === 0) this.byDigest.delete(each.digest);
    return wasThere;
  }

  private isOpen(each: Each): boolean {
    return this.byDigest.get(each.digest)?.has(each) ?? false;
  }

  /** How many were opened with this key. */
  countOf(digest: string): number {
    return this.byDigest.get(digest)?.size ?? 0;
  }

  forEach(visit: (each: Each) => void): void {
    for (const siblings of this.byDigest.values()) for (const each of siblings) visit(each);
  }

  /** What is learnt so is told as a change. */
  private askForKeys(): void {
    for (const digest of this.byDigest.keys()) void Promise.resolve(this.directory.find(digest)).catch(() => undefined);
  }
}

const tickMs = 1_000;

/**
 * All generations that run now; they end where the key that started them may not generate any more.
 */
@Injectable()
export class OpenGenerations {
  private readonly generations: OpenByKey<Generation>;
  private readonly timer: NodeJS.Timeout;
  private open = 0;
  private streams = 0;

  constructor(
    private readonly clock: Clock,
    private readonly metrics: EdgeMetrics,
    directory: KeyDirectory,
  ) {
    this.generations = new OpenByKey(directory, (generation) => generation.cancel('key_revoked'));
    this.timer = setInterval(() => this.tick(), tickMs).unref();
  }

  get count(): number {
    return this.open;
  }

  add(generation: Generation): void {
    this.generations.add(generation);
    this.counted(generation, 1);
  }

  remove(generation: Generation): void {
    if (this.generations.remove(generation)) this.counted(generation, -1);
  }

  /** Ends everything that still runs. */
  cancelAll(): void {
    clearInterval(this.timer);
    this.generations.forEach((generation) => generation.cancel('edge_lost'));
  }

  private counted(generation: Generation, change: 1 | -1): void {
    this.open += change;
    if (generation.isStream) this.streams += change;
    this.metrics.generationsOpen(this.open, this.streams);
  }

  private tick(): void {
    const nowMs = this.clock.monotonicMs();
    this.generations.forEach((generation) => generation.tick(nowMs));
  }
}
