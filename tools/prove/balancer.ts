import { setTimeout as delay } from 'node:timers/promises';
import { exchange } from './exchange';
import type { Outcome } from './exchange';
import type { PlannedRequest } from './planned-request';
import { clientSurfaces } from './client-surface';

/** How often edges are asked whether they are ready, and how long they may take to say so, milliseconds. */
const probeEveryMs = 100;
const probeTimeoutMs = 1_000;

/**
 * Chooses edges as a load balancer does: in turn, those whose /readyz said 200 when last asked. Until
 * `start`, and after `stop`, in turn alone.
 */
export class Balancer {
  private readonly ready: Set<string>;
  /** Requests whose connection was refused, so that they were never sent, and which went to another edge. */
  redirected = 0;
  private turn = 0;
  private isOn = false;

  constructor(private readonly edges: readonly string[]) {
    this.ready = new Set(edges);
  }

  start(): void {
    this.isOn = true;
    for (const edge of this.edges) this.ready.add(edge);
    for (const edge of this.edges) void this.watch(edge);
  }

  stop(): void {
    this.isOn = false;
  }

  /** The address of the next edge; never `except`, where there is another. */
  next(except: string | null = null): string {
    const ready = this.isOn ? [...this.ready].filter((edge) => edge !== except) : [];
    const choice = ready.length > 0 ? ready : this.edges.filter((edge) => edge !== except);
    this.turn += 1;
    return choice[this.turn % choice.length] ?? '';
  }

  /** Sends a request to the next edge, and to another one where that does not listen. */
  async ask(apiKey: string, request: PlannedRequest): Promise<Outcome> {
    const { path } = clientSurfaces[request.surface];
    const edge = this.next();
    const outcome = await exchange(edge + path, apiKey, request);
    if (!this.isOn || !isRefused(outcome)) return outcome;
    this.redirected += 1;
    return exchange(this.next(edge) + path, apiKey, request);
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

/** True when nobody listened: not a byte of the request was sent. */
function isRefused({ state, reason }: Outcome): boolean {
  return state === 'failed' && reason.includes('ECONNREFUSED');
}
