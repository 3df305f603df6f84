import { setTimeout as delay } from 'node:timers/promises';

/** How often edges are asked whether they are ready, and how long they may take to say so, milliseconds. */
const probeEveryMs = 100;
const probeTimeoutMs = 1_000;

/** Chooses edges as a load balancer does: in turn, those whose /readyz said 200 when last asked. */
export class Balancer {
  private readonly ready: Set<string>;
  private turn = 0;
  private isOn = false;

  constructor(private readonly edges: readonly string[]) {
    this.ready = new Set(edges);
  }

  start(): void {
    this.isOn = true;
    for (const edge of this.edges) void this.watch(edge);
  }

  stop(): void {
    this.isOn = false;
  }

  /** The address of the next edge; never `except`, where there is another. */
  next(except: string | null = null): string {
    const ready = [...this.ready].filter((edge) => edge !== except);
    const choice = ready.length > 0 ? ready : this.edges.filter((edge) => edge !== except);
    this.turn += 1;
    return choice[this.turn % choice.length] ?? '';
  }

  /** One question at a time to each edge, so that no late answer hides a newer one. */
  private async watch(edge: string): Promise<void> {
    while (this.isOn) {
      if (await isReady(edge)) this.ready.add(edge);
      else this.ready.delete(edge);
      await delay(probeEveryMs);
    }
  }
}

async function isReady(edge: string): Promise<boolean> {
  try {
    const response = await fetch(`${edge}/readyz`, { signal: AbortSignal.timeout(probeTimeoutMs) });
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}
