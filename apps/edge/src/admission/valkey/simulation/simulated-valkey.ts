import { windowMs } from '../../rolling-log';
import type { LogAnswer } from '../log-scripts';
import { longestMs } from '../silence';
import type { CommonLog, LateUnit, LogListener } from '../valkey-log';
import type { Chance } from '@tollgate/testing';
import type { VirtualClock, VirtualTime } from './virtual-time';

interface Entry {
  readonly atMs: number;
  readonly member: string;
}

/**
 * A Valkey as the scripts of `log-scripts` make it: one sorted log a key, one command at a time, by its own
 * clock. Empty after each restart.
 */
export class SimulatedValkey {
  run = 'run-1';
  isUp = true;
  private logs = new Map<string, Entry[]>();
  private lives = 1;
  private frozenUntilMs = -Infinity;
  private readonly connections = new Set<SimulatedLog>();

  constructor(private readonly time: VirtualTime) {}

  connected(log: SimulatedLog): void {
    this.connections.add(log);
  }

  disconnected(log: SimulatedLog): void {
    this.connections.delete(log);
  }

  kill(): void {
    this.isUp = false;
    this.logs = new Map();
    for (const log of [...this.connections]) log.broke();
  }

  start(): void {
    if (this.isUp) return;
    this.isUp = true;
    this.frozenUntilMs = -Infinity;
    this.run = `run-${++this.lives}`;
  }

  freeze(forMs: number): void {
    this.frozenUntilMs = this.time.nowMs + forMs;
  }

  /** Does it when the server comes to it: at once, or when it goes on. Never, if it dies before. */
  arrive(work: () => void): void {
    const { run } = this;
    const begin = () => {
      if (!this.isUp || this.run !== run) return;
      if (this.time.nowMs < this.frozenUntilMs) this.time.at(this.frozenUntilMs, begin);
      else work();
    };
    begin();
  }

  take(keyId: string, limit: number, member: string): LogAnswer {
    const { log, nowMs } = this.open(keyId);
    const admitted = log.length < limit;
    if (admitted) log.push({ atMs: nowMs, member });
    const newest = log.at(-1)?.atMs ?? nowMs - windowMs;
    const freeing = log[log.length - limit]?.atMs ?? nowMs;
    const retryAfterMs = limit === 0 ? windowMs : log.length >= limit ? freeing + windowMs - nowMs : 0;
    return { admitted, count: log.length, resetMs: newest + windowMs - nowMs, retryAfterMs };
  }

  giveBack(keyId: string, member: string): void {
    const log = this.logs.get(keyId);
    if (log)
      this.logs.set(
        keyId,
        log.filter((entry) => entry.member !== member),
      );
  }

  add(units: readonly LateUnit[]): void {
    for (const { keyId, member, ageMs } of units) {
      const { log, nowMs } = this.open(keyId);
      if (log.some((entry) => entry.member === member)) continue;
      log.push({ atMs: nowMs - ageMs, member });
      log.sort((one, other) => one.atMs - other.atMs);
    }
  }

  read(): { keyId: string; agesMs: number[] }[] {
    return [...this.logs.keys()].map((keyId) => {
      const { log, nowMs } = this.open(keyId);
      return { keyId, agesMs: log.map(({ atMs }) => nowMs - atMs) };
    });
  }

  private open(keyId: string): { log: Entry[]; nowMs: number } {
    const before = this.logs.get(keyId) ?? [];
    const nowMs = Math.max(this.time.nowMs, before.at(-1)?.atMs ?? 0);
    const log = before.filter(({ atMs }) => atMs > nowMs - windowMs);
    this.logs.set(keyId, log);
    return { log, nowMs };
  }
}

const reconnectMs = 100;

/**
 * One edge's connection to it: commands and answers take their time, in order; what is not answered in time
 * breaks the connection, as in ValkeyLog.
 */
export class SimulatedLog implements CommonLog {
  private listener: LogListener | null = null;
  currentRun: string | null = null;
  private isOpen = false;
  private cutUntilMs = -Infinity;
  private pending = new Set<(error: Error) => void>();
  private lastArrivalMs = 0;

  constructor(
    private readonly server: SimulatedValkey,
    private readonly time: VirtualTime,
    private readonly clock: VirtualClock,
    private readonly chance: Chance,
  ) {}

  open(listener: LogListener): void {
    this.listener = listener;
    this.isOpen = true;
    this.connect();
  }

  close(): void {
    this.isOpen = false;
    this.listener = null;
    this.broke();
  }

  /** Nothing goes through for so long; what is under way then goes on. */
  cut(forMs: number): void {
    this.cutUntilMs = this.time.nowMs + forMs;
  }

  /** The connection is gone, and the edge knows. */
  broke(): void {
    this.server.disconnected(this);
    this.clock.wake(() => {
      const pending = [...this.pending];
      this.pending.clear();
      const wasUp = this.currentRun !== null;
      this.currentRun = null;
      if (wasUp) this.listener?.down();
      for (const reject of pending) reject(new Error('Valkey is gone.'));
      if (this.isOpen) this.clock.after(reconnectMs, () => this.connect());
    });
  }

  take(keyId: string, limit: number, member: string): Promise<LogAnswer> {
    return this.command(() => this.server.take(keyId, limit, member));
  }

  giveBack(keyId: string, member: string): void {
    if (this.currentRun !== null) this.command(() => this.server.giveBack(keyId, member)).catch(() => undefined);
  }

  add(units: readonly LateUnit[]): Promise<void> {
    return this.command(() => this.server.add(units));
  }

  async *read(): AsyncGenerator<{ keyId: string; agesMs: number[] }> {
    yield* await this.command(() => this.server.read());
  }

  private connect(): void {
    if (!this.isOpen || this.currentRun !== null) return;
    if (!this.server.isUp) {
      this.clock.after(reconnectMs, () => this.connect());
      return;
    }
    this.server.connected(this);
    this.exchange(() => this.server.run).then(
      (run) => {
        this.currentRun = run;
        this.listener?.up(run);
      },
      () => undefined,
    );
  }

  private command<Answer>(work: () => Answer): Promise<Answer> {
    if (this.currentRun === null) return Promise.reject(new Error('Valkey is away.'));
    return this.exchange(work);
  }

  private exchange<Answer>(work: () => Answer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.pending.add(reject);
      const callOff = this.clock.after(longestMs, () => {
        if (this.pending.has(reject)) this.broke();
      });
      const answered = (answer: Answer) => {
        if (!this.pending.delete(reject)) return;
        callOff();
        resolve(answer);
      };
      const done = () => {
        const answer = work();
        this.travel(() => this.clock.wake(() => answered(answer)));
      };
      this.travel(() => this.server.arrive(done));
    });
  }

  /** In order, as bytes of one connection come. */
  private travel(arrive: () => void): void {
    const arrival = Math.max(this.time.nowMs, this.cutUntilMs) + this.chance.between(0.1, 2);
    this.lastArrivalMs = Math.max(this.lastArrivalMs, arrival);
    this.time.at(this.lastArrivalMs, arrive);
  }
}
