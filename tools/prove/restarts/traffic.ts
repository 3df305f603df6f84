import { setTimeout as delay } from 'node:timers/promises';
import type { Balancer } from '../balancer';
import type { Outcome } from '../exchange';
import { steadyRequest } from '../steady-request';

/** Requests at a steady rate, half of them streams, until `stop`. */
export class Traffic {
  readonly outcomes: Outcome[] = [];
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
      const running = this.balancer.ask(this.apiKey, steadyRequest(number, 'restarts')).then((outcome) => {
        this.outcomes.push(outcome);
        this.running.delete(running);
      });
      this.running.add(running);
    }
  }
}
