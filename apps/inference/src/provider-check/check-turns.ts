import { setTimeout } from 'node:timers/promises';
import type { ProviderCheck } from '@tollgate/contracts';

/** So long a provider is left in peace between two looks, milliseconds. */
const restMs = 5_000;

/**
 * Whoever asks for a look at a provider while one runs or waits is told what that one finds; the next one
 * begins 5 s after the last has ended. However often people press a button, a provider is asked seldom.
 */
export class CheckTurns {
  private readonly running = new Map<string, Promise<ProviderCheck>>();
  /** When the last look at each provider ended, in milliseconds of `now`. */
  private readonly endedAt = new Map<string, number>();

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly wait: (ms: number) => Promise<unknown> = (ms) => setTimeout(ms, undefined, { ref: false }),
  ) {}

  /** `kind` tells apart what is looked for: others are told of the same kind alone. */
  take(provider: string, kind: string, look: () => Promise<ProviderCheck>): Promise<ProviderCheck> {
    const name = `${provider} ${kind}`;
    const running = this.running.get(name);
    if (running) return running;
    const turn = this.inTurn(provider, look).finally(() => this.running.delete(name));
    this.running.set(name, turn);
    return turn;
  }

  private async inTurn(provider: string, look: () => Promise<ProviderCheck>): Promise<ProviderCheck> {
    const waitMs = (this.endedAt.get(provider) ?? -restMs) + restMs - this.now();
    if (waitMs > 0) await this.wait(waitMs);
    try {
      return await look();
    } finally {
      this.endedAt.set(provider, this.now());
    }
  }
}
