import type { ValkeyServer } from '@tollgate/testing';
import { childrenOf } from '@tollgate/testing';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../stack/stack';
import type { Load } from '../load';
import type { SimulatedProvider } from '../simulated-provider';

const actions = ['kill', 'freeze', 'restart'] as const;
type Action = (typeof actions)[number];

/** What befell one process, with how many requests under way. */
export interface Strike {
  victim: string;
  action: Action;
  inFlight: number;
}

/** How long a frozen process stays so: shorter than the silence after which its peers take it for dead. */
const freezeMs = { least: 800, most: 3_000 };
/**
 * How long what is under way has to reach the provider's books, and how often that is looked at; how long
 * written bytes have to reach edge.
 */
const arrivalMs = 15_000;
const lookMs = 50;
const settleMs = 500;
/** Time for the survivors to notice a cut connection and close theirs to the provider. */
const noticeMs = 1_000;

/**
 * Kills (SIGKILL), freezes (SIGSTOP) and restarts (SIGTERM) processes of a stack, each of them each way, in a
 * random order. `random` gives numbers from 0 to 1.
 *
 * Where the death of a process cuts generations off, bytes that are on the wire at that instant were sent by
 * the provider and will be read by nobody: its books hold them, and no gateway can know of them. So the
 * provider pauses for a moment first, and goes on when those generations are cut.
 */
export class Chaos {
  readonly strikes: Strike[] = [];
  private deck: { victim: string; action: Action }[] = [];

  constructor(
    private readonly stack: Stack,
    private readonly valkey: ValkeyServer,
    private readonly provider: SimulatedProvider,
    private readonly load: Load,
    private readonly random: () => number,
  ) {}

  /** One more strike; resolves when its victim is ready again. */
  async strike(): Promise<Strike> {
    const { victim, action } = this.next();
    const strike = { victim, action, inFlight: this.load.inFlight };
    if (this.cutsGenerations(victim, action)) await this.whilePaused(() => this.hit(victim, action));
    else await this.hit(victim, action);
    if (victim !== 'valkey') await this.stack.process(victim).ready();
    this.strikes.push(strike);
    return strike;
  }

  private next(): { victim: string; action: Action } {
    if (this.deck.length === 0) this.deck = this.shuffled();
    const card = this.deck.pop();
    if (!card) throw new Error('There is nothing to strike.');
    return card;
  }

  private shuffled(): { victim: string; action: Action }[] {
    const victims = [...this.stack.processes.keys(), 'valkey'].filter((name) => name !== 'sandbox');
    return actions
      .flatMap((action) => victims.map((victim) => ({ victim, action, order: this.random() })))
      .sort((one, other) => one.order - other.order);
  }

  private cutsGenerations(victim: string, action: Action): boolean {
    if (victim === 'nats') return true;
    return action === 'kill' && /^(edge|inference)/.test(victim);
  }

  private async whilePaused(work: () => Promise<void>): Promise<void> {
    await this.load.holdDuring(async () => {
      await this.arrivals();
      await this.provider.pause();
      await delay(settleMs);
      await work();
    });
    await delay(noticeMs);
    await this.provider.resume();
  }

  /**
   * A request that is only just under way to the provider would be held in front of its books: those must
   * arrive first. One that is tried again may be under way twice.
   */
  private async arrivals(): Promise<void> {
    const giveUpAt = Date.now() + arrivalMs;
    while (!(await this.haveArrived()) && Date.now() < giveUpAt) await delay(lookMs);
  }

  private async haveArrived(): Promise<boolean> {
    const { underWay } = this.load;
    if (underWay.some(({ kind }) => kind === 'fault')) return false;
    const booked = await Promise.all(underWay.map(({ id }) => this.provider.ledger(id)));
    return booked.every((rows) => rows.length > 0);
  }

  private async hit(victim: string, action: Action): Promise<void> {
    if (victim === 'valkey') return this.hitValkey(action);
    const process = this.stack.process(victim);
    if (action === 'restart') return process.restart();
    if (action === 'kill') {
      process.kill('SIGKILL');
      return delay(100);
    }
    const pids = victim === 'postgres' ? [process.pid, ...childrenOf(process.pid ?? 0)] : [process.pid];
    signal(pids, 'SIGSTOP');
    await delay(this.freezeTimeMs());
    signal(pids, 'SIGCONT');
  }

  private async hitValkey(action: Action): Promise<void> {
    if (action === 'freeze') {
      await this.valkey.pause();
      await delay(this.freezeTimeMs());
      return this.valkey.resume();
    }
    await this.valkey.kill();
    await delay(500);
    await this.valkey.start();
  }

  private freezeTimeMs(): number {
    return freezeMs.least + this.random() * (freezeMs.most - freezeMs.least);
  }
}

/** Some of these may have ended meanwhile. */
function signal(pids: readonly (number | null)[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      if (pid !== null) process.kill(pid, name);
    } catch {
      // It is gone.
    }
  }
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}
