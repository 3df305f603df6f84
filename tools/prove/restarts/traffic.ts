import { setTimeout as delay } from 'node:timers/promises';
import { exchange } from '../exchange';
import type { Outcome } from '../exchange';
import type { PlannedRequest } from '../planned-request';
import { steadyRequest } from '../steady-request';
import { clientSurfaces } from '../surfaces/client-surface';
import type { Balancer } from './balancer';

/** Requests at a steady rate, half of them streams, until `stop`. */
export class Traffic {
  readonly outcomes: Outcome[] = [];
  /** Requests whose connection was refused, so that they were never sent, and which went to the other edge. */
  redirected = 0;
  private readonly running = new Set<Promise<void>>();
  private sending: Promise<void> = Promise.resolve();
  private isOn = false;

  constructor(
    private readonly balancer: Balancer,
    private readonly apiKey: string,
    private readonly perSecond: number,
  ) {}

  start(): void {
    this.isOn = true;
    this.sending = this.sendAll();
  }

  /** Sends no more, and waits for the last answer. */
  async stop(): Promise<void> {
    this.isOn = false;
    await this.sending;
    await Promise.all(this.running);
  }

  private async sendAll(): Promise<void> {
    const startedAt = Date.now();
    for (let number = 0; this.isOn; number++) {
      const dueAt = startedAt + (number * 1_000) / this.perSecond;
      if (dueAt > Date.now()) await delay(dueAt - Date.now());
      const running = this.send(steadyRequest(number, 'restarts')).then((outcome) => {
        this.outcomes.push(outcome);
        this.running.delete(running);
      });
      this.running.add(running);
    }
  }

  private async send(request: PlannedRequest): Promise<Outcome> {
    const { path } = clientSurfaces[request.surface];
    const edge = this.balancer.next();
    const outcome = await exchange(edge + path, this.apiKey, request);
    if (!isRefused(outcome)) return outcome;
    this.redirected += 1;
    return exchange(this.balancer.next(edge) + path, this.apiKey, request);
  }
}

/** True when nobody listened: not a byte of the request was sent. */
function isRefused({ state, reason }: Outcome): boolean {
  return state === 'failed' && reason.includes('ECONNREFUSED');
}
