import { Injectable } from '@nestjs/common';
import type { CallerKey } from '@tollgate/contracts';
import { mayGenerate } from '../callers/authenticator';
import { KeyDirectory } from '../callers/key-directory';
import { Clock } from '../clock';
import { EdgeMetrics } from '../health/edge-metrics';
import type { Generation } from './generation';

const tickMs = 1_000;

/**
 * All generations that run now, by the key that started them; they end where it may not generate any more.
 */
@Injectable()
export class OpenGenerations {
  private readonly byDigest = new Map<string, Set<Generation>>();
  private readonly timer: NodeJS.Timeout;
  private open = 0;
  private streams = 0;

  constructor(
    private readonly clock: Clock,
    private readonly metrics: EdgeMetrics,
    private readonly directory: KeyDirectory,
  ) {
    directory.onChange((digest, key) => this.keyChanged(digest, key));
    directory.onMissed(() => this.askForKeys());
    this.timer = setInterval(() => this.tick(), tickMs).unref();
  }

  get count(): number {
    return this.open;
  }

  add(generation: Generation): void {
    const siblings = this.byDigest.get(generation.digest) ?? new Set();
    this.byDigest.set(generation.digest, siblings.add(generation));
    this.counted(generation, 1);
  }

  remove(generation: Generation): void {
    const siblings = this.byDigest.get(generation.digest);
    if (!siblings?.delete(generation)) return;
    if (siblings.size === 0) this.byDigest.delete(generation.digest);
    this.counted(generation, -1);
  }

  /** Ends everything that still runs. */
  cancelAll(): void {
    clearInterval(this.timer);
    for (const siblings of this.byDigest.values()) for (const generation of siblings) generation.cancel('edge_lost');
  }

  /** `key` null: it is gone. */
  private keyChanged(digest: string, key: CallerKey | null): void {
    if (key && mayGenerate(key)) return;
    for (const generation of this.byDigest.get(digest) ?? []) generation.cancel('key_revoked');
  }

  /** What is learnt so is told as a change. */
  private askForKeys(): void {
    for (const digest of this.byDigest.keys()) void Promise.resolve(this.directory.find(digest)).catch(() => undefined);
  }

  private counted(generation: Generation, change: 1 | -1): void {
    this.open += change;
    if (generation.isStream) this.streams += change;
    this.metrics.generationsOpen(this.open, this.streams);
  }

  private tick(): void {
    const nowMs = this.clock.monotonicMs();
    for (const siblings of this.byDigest.values()) for (const generation of siblings) generation.tick(nowMs);
  }
}
