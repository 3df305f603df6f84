import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { healthSubjects, type DeploymentHealth, type HealthReport } from '@tollgate/contracts/inference';
import { GenerationServer, publishJson } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { LOGGER, NATS, PeriodicWork } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { AttemptGate } from './attempt-gate';
import { KeyRests } from './key-rests';

const lookEveryMs = 1_000;
/** Told so often although nothing changed, for those who came later. */
const tellEveryLooks = 5;

/**
 * Tells operators and dashboards how this instance sees its deployments: within a second of a change, and
 * every five seconds.
 */
@Injectable()
export class HealthReporter {
  private told: unknown;
  private looks = 0;
  /** By deployment: how often it had been opened when it was last logged. */
  private logged: ReadonlyMap<string, number> = new Map();

  constructor(
    @Inject(NATS) private readonly connection: NatsConnection,
    private readonly server: GenerationServer,
    private readonly gate: AttemptGate,
    private readonly keys: KeyRests,
    @Inject(LOGGER) private readonly logger: Logger,
    work: PeriodicWork,
  ) {
    work.add({ name: 'health of deployments', everyMs: lookEveryMs, run: () => this.look() });
  }

  private look(): void {
    const deployments = this.gate.report();
    const restingKeys = this.keys.report();
    // Time that passes, and requests that come and go, are no change.
    const states = [
      ...deployments.map(({ retryInMs, openForMs, lastBusyMs, probes, inFlight, waiting, ...rest }) => rest),
      ...restingKeys.map(({ restsForMs, ...rest }) => rest),
    ];
    this.looks += 1;
    this.logOpened(deployments);
    if (this.looks % tellEveryLooks !== 0 && isDeepStrictEqual(states, this.told)) return;
    this.told = states;
    const report: HealthReport = { instance: this.server.instanceId, deployments, restingKeys };
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
