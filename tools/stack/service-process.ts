import { waitUntilReady } from './readiness';
import type { ProcessListener, StackProcess } from './stack-process';
import { SupervisedProcess } from './supervised-process';
import type { ProcessPlan } from './supervised-process';

/**
 * An orderly restart lets running generations finish, for which edge and inference grant 120 s, and has their
 * usage stored.
 */
const drainMs = 140_000;
/**
 * At the end of the stack nobody is left to wait for: a process that ignores TERM for this long is killed.
 */
const stopMs = 8_000;
/** Services wait for NATS and Postgres by themselves, and the first start migrates: generous. */
const readyTimeoutMs = 90_000;
const crashesUntilGivenUp = 4;

/** A process of one of our services, or of several. */
export class ServiceProcess implements StackProcess {
  private readonly process: SupervisedProcess;
  private isStopped = false;

  constructor(
    private readonly plan: ProcessPlan,
    readonly internalUrls: readonly string[],
    listener: ProcessListener,
  ) {
    this.process = new SupervisedProcess(plan, listener);
  }

  get name(): string {
    return this.plan.name;
  }

  get logFile(): string {
    return this.plan.logFile;
  }

  get pid(): number | null {
    return this.process.pid;
  }

  start(): void {
    this.isStopped = false;
    this.process.start();
  }

  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  async ready(): Promise<void> {
    const { name, logFile, internalUrls } = this;
    const gaveUp = () => this.process.isStopped || this.process.crashes >= crashesUntilGivenUp;
    await Promise.all(
      internalUrls.map((internalUrl) => waitUntilReady({ name, logFile, internalUrl, gaveUp }, readyTimeoutMs)),
    );
  }

  /** A stop that comes meanwhile stands. */
  async restart(): Promise<void> {
    await this.process.stop(drainMs);
    if (this.isStopped) return;
    this.process.start();
    await this.ready();
  }

  stop(): Promise<void> {
    this.isStopped = true;
    return this.process.stop(stopMs);
  }

  startAgain(): Promise<void> {
    this.start();
    return this.ready();
  }
}
