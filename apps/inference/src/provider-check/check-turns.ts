import { setTimeout } from 'node:timers/promises';
import type { ProviderCheck } from '@tollgate/contracts';

/** So long a provider is left in peace between two looks, milliseconds. */
const restMs = 5_000;

/**
 * Looks at providers: one at a time at each, of whatever kind, and the next one at the earliest 5 s after the
 * last has ended. Whoever asks while one of the same kind waits is told what that one finds. So this instance
 * asks a provider seldom, however often people press a button; and nobody is told of a look that had begun
 * before he asked.
 */
export class CheckTurns {
  /** By provider and kind: those that have not begun. */
  private readonly waiting = new Map<string, Promise<ProviderCheck>>();
  /** By provider: when the next look may begin. */
  private readonly rested = new Map<string, Promise<unknown>>();

  constructor(
    private readonly wait: (ms: number) => Promise<unknown> = (ms) => setTimeout(ms, undefined, { ref: false }),
  ) {}

  take(provider: string, kind: string, look: () => Promise<ProviderCheck>): Promise<ProviderCheck> {
    const name = `${provider} ${kind}`;
    const waiting = this.waiting.get(name);
    if (waiting) return waiting;
    const turn = (this.rested.get(provider) ?? Promise.resolve()).then(() => {
      this.waiting.delete(name);
      return look();
    });
    this.waiting.set(name, turn);
    const rest = (): Promise<unknown> => this.wait(restMs);
    this.rested.set(provider, turn.then(rest, rest));
    return turn;
  }
}
