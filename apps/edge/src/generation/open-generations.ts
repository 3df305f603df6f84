import { Injectable } from '@nestjs/common';
import { KeyDirectory } from '../callers/key-directory';
import { OpenByKey } from '../callers/open-by-key';
import { Clock } from '../clock';
import { EdgeMetrics } from '../health/edge-metrics';
import type { Generation } from './generation';

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
