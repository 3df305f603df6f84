import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './process-id';
import { StackError } from './stack-error';
import type { ProcessListener, StackProcess } from './stack-process';

/** What the embedded Postgres and nats-server offer. */
export interface EmbeddedServer {
  readonly url: string;
  /** Null (or of an ended process) while it is down. */
  readonly pid: number | null;
  /** Starts it again on the same port and data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const watchMs = 250;
const readyTimeoutMs = 60_000;

/** A server under the services, started again when it ends unasked. */
export class ServerProcess implements StackProcess {
  readonly internalUrls = [];
  private state: 'up' | 'restarting' | 'stopped' = 'up';
  private watch: NodeJS.Timeout;
  /** The last start again; pending while it is under way. */
  private restarting: Promise<void> = Promise.resolve();

  constructor(
    readonly name: string,
    private readonly server: EmbeddedServer,
    readonly logFile: string,
    private readonly listener: ProcessListener,
  ) {
    this.watch = this.startWatch();
  }

  get pid(): number | null {
    const { pid } = this.server;
    return this.state === 'up' && pid && isAlive(pid) ? pid : null;
  }

  kill(signal: NodeJS.Signals): void {
    if (this.pid !== null) process.kill(this.pid, signal);
  }

  async ready(): Promise<void> {
    const deadline = Date.now() + readyTimeoutMs;
    while (this.pid === null) {
      if (Date.now() > deadline) throw new StackError(`${this.name} did not come back. See ${this.logFile}`);
      await delay(watchMs / 5);
    }
  }

  restart(): Promise<void> {
    return this.comeBack();
  }

  async stop(): Promise<void> {
    clearInterval(this.watch);
    this.state = 'stopped';
    // What is just being started would outlive a stop that came before it was there.
    await this.restarting.catch(() => undefined);
    await this.server.stop();
  }

  startAgain(): Promise<void> {
    clearInterval(this.watch);
    this.state = 'restarting';
    this.watch = this.startWatch();
    return this.comeBack();
  }

  private startWatch(): NodeJS.Timeout {
    return setInterval(() => this.check(), watchMs);
  }

  private get isStopped(): boolean {
    return this.state === 'stopped';
  }

  private check(): void {
    if (this.state !== 'up' || this.pid !== null) return;
    this.listener.crashed(`${this.name} ended; starts again. Log: ${this.logFile}`);
    void this.comeBack();
  }

  /**
   * Postgres refuses to start while processes of its former life still run, so this tries again for a while.
   */
  private async comeBack(): Promise<void> {
    if (this.isStopped) return;
    this.state = 'restarting';
    for (let tries = 1; this.state === 'restarting'; tries++) {
      try {
        this.restarting = this.server.restart();
        await this.restarting;
        if (!this.isStopped) this.state = 'up';
      } catch (error) {
        this.listener.crashed(`${this.name} did not start: ${error instanceof Error ? error.message : String(error)}`);
        await delay(Math.min(200 * 2 ** tries, 10_000));
      }
    }
    if (!this.isStopped) this.listener.changed();
  }
}
