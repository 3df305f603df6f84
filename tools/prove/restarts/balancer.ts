/** How often edges are asked whether they are ready, and how long they may take to say so, milliseconds. */
const probeEveryMs = 100;
const probeTimeoutMs = 1_000;

/** Chooses edges as a load balancer does: in turn, those whose /readyz said 200 when last asked. */
export class Balancer {
  private ready: string[];
  private turn = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly edges: readonly string[]) {
    this.ready = [...edges];
  }

  start(): void {
    this.timer = setInterval(() => void this.probe(), probeEveryMs);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** The address of the next edge; never `except`, where there is another. */
  next(except: string | null = null): string {
    const ready = this.ready.filter((edge) => edge !== except);
    const choice = ready.length > 0 ? ready : this.edges.filter((edge) => edge !== except);
    this.turn += 1;
    return choice[this.turn % choice.length] ?? '';
  }

  private async probe(): Promise<void> {
    const answers = await Promise.all(this.edges.map((edge) => isReady(edge)));
    this.ready = this.edges.filter((_, index) => answers[index]);
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
