import { isDeepStrictEqual } from 'node:util';
import { healthSubjects, type DeploymentHealth, type HealthReport } from '@tollgate/contracts';
import { publishJson } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';

const lookEveryMs = 1_000;
/** Told so often although nothing changed, for those who came later. */
const tellEveryLooks = 5;

/** Tells operators and dashboards how this instance sees its deployments: within a second of a change, and every five seconds. */
export class HealthReporter {
  private timer: NodeJS.Timeout | undefined;
  private told: unknown;
  private looks = 0;
  /** By deployment: how often it had been opened when it was last logged. */
  private logged: ReadonlyMap<string, number> = new Map();

  constructor(
    private readonly connection: NatsConnection,
    private readonly instance: string,
    private readonly report: () => DeploymentHealth[],
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.timer ??= setInterval(() => this.look(), lookEveryMs);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private look(): void {
    const deployments = this.report();
    // Time that passes, and requests that come and go, are no change.
    const states = deployments.map(({ retryInMs, openForMs, probes, inFlight, waiting, ...rest }) => rest);
    this.looks += 1;
    this.logOpened(deployments);
    if (this.looks % tellEveryLooks !== 0 && isDeepStrictEqual(states, this.told)) return;
    this.told = states;
    const report: HealthReport = { instance: this.instance, deployments };
    publishJson(this.connection, healthSubjects.report, report);
  }

  private logOpened(deployments: readonly DeploymentHealth[]): void {
    for (const { deployment, provider, timesOpened, retryInMs } of deployments) {
      if (timesOpened > (this.logged.get(deployment) ?? 0))
        this.logger.warn({ deployment, provider, retryInMs }, 'the deployment fails and is left alone for a while');
    }
    this.logged = new Map(deployments.map(({ deployment, timesOpened }) => [deployment, timesOpened]));
  }
}
