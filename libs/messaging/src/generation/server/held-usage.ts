import type { UsageEvent } from '@tollgate/contracts';
import { TransientMap } from '../../memory/transient';
import type { UsageNotes } from '../../usage/journal/usage-journal';
import { frameTypes } from '../frame';
import type { FramePost } from '../frame-post';
import type { HopSettings } from '../hop-settings';
import type { TickClock } from '../ticker';
import type { CallAddress } from './server-call';

/** What it needs of its server. `publishUsage` stores an event, sooner or later. */
export interface HeldUsageHost {
  readonly settings: HopSettings;
  readonly post: FramePost;
  readonly ticker: TickClock;
  readonly journal: UsageNotes | null;
  publishUsage(event: UsageEvent, onSent: () => void): void;
}

/** `next`: the number of the next frame of its call. `asked`: for how many ticks edge was asked. */
interface Held {
  address: CallAddress;
  next: number;
  event: UsageEvent;
  asked: number;
}

/**
 * Usage of calls that were stopped because the connection was lost. Edge may have gone to another instance
 * with the same request, whose event has the same id and is the true one. So edge is asked before such an
 * event is told: with every tick while the connection stands, and for `settleMs` at most. Meanwhile the
 * journal has it.
 */
export class HeldUsage {
  private readonly held = new TransientMap<string, Held>();
  private whenEmpty: (() => void)[] = [];

  constructor(private readonly host: HeldUsageHost) {}

  /** Calls whose usage waits for edge's word. */
  get size(): number {
    return this.held.size;
  }

  hold(address: CallAddress, next: number, event: UsageEvent): void {
    this.host.journal?.note(event.id, JSON.stringify(event));
    this.held.set(key(address.edge, address.stream), { address, next, event, asked: 0 });
  }

  /** Edge spoke of the stream. `isElsewhere`: another instance has it, and tells its usage. */
  answered(edge: string, stream: number, isElsewhere: boolean): void {
    const held = this.held.get(key(edge, stream));
    if (!held) return;
    this.held.delete(key(edge, stream));
    if (isElsewhere) this.host.journal?.forget(held.event.id);
    else this.host.publishUsage(held.event, () => undefined);
    if (this.size === 0) for (const resolve of this.whenEmpty.splice(0)) resolve();
  }

  /**
   * Asks edge once more about each. One that says nothing is gone for good: then what is known here is told.
   */
  ask(): void {
    const { post, settings, ticker } = this.host;
    for (const held of [...this.held.values()]) {
      const { edge, subject, stream } = held.address;
      if (held.asked++ < ticker.ticks(settings.settleMs)) post.send(subject, frameTypes.ping, stream, held.next);
      else this.answered(edge, stream, false);
    }
  }

  /** Resolves when edge has spoken of each. */
  async empty(): Promise<void> {
    if (this.size > 0) await new Promise<void>((resolve) => this.whenEmpty.push(resolve));
  }

  /** Nobody is asked any more. */
  tellAll(): void {
    for (const { address } of [...this.held.values()]) this.answered(address.edge, address.stream, false);
  }
}

function key(edge: string, stream: number): string {
  return `${edge} ${stream}`;
}
