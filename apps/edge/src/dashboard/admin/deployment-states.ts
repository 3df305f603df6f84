import { Injectable } from '@nestjs/common';
import {
  healthReport,
  healthSubjects,
  type DeploymentHealth,
  type HealthReport,
  type ProviderKeyRest,
} from '@tollgate/contracts/inference';
import { subscribeJson } from '@tollgate/messaging';
import { Clock } from '../../clock';
import { MessagingLink } from '../../messaging-link';

/** Instances tell every five seconds; one that was silent for three times that is gone. */
const goneAfterMs = 15_000;

const severities: Record<DeploymentHealth['state'], number> = { closed: 1, 'half-open': 2, open: 3 };

/** One that is only busy answers nobody where no instance sees it answer. */
function severityOf({ state, answersNobody }: DeploymentHealth): number {
  return state === 'closed' && answersNobody ? 0 : severities[state];
}

/**
 * As the instance sees it that sees the worst; requests, probes and places are those of all `instances`, and
 * `lastBusyMs` is of the one that was told so last. `concurrencyLimit` null: some instance has no limit.
 */
type DeploymentStanding = DeploymentHealth & { instances: number };

/** How the inference instances see the deployments that they tried, as far as this edge hears. */
@Injectable()
export class DeploymentStates {
  private readonly reports = new Map<string, HealthReport & { heardAtMs: number }>();

  constructor(
    link: MessagingLink,
    private readonly clock: Clock,
  ) {
    subscribeJson(link.connection, healthSubjects.report, healthReport, (report) => {
      this.reports.set(report.instance, { ...report, heardAtMs: clock.monotonicMs() });
    });
  }

  /** The deployments of a provider that some instance leaves alone now, each once. */
  leftAlone(provider: string): string[] {
    const closed = (one: DeploymentHealth) => one.provider !== provider || one.state === 'closed';
    const names = this.live().flatMap(({ deployments }) => deployments.filter((one) => !closed(one)));
    return [...new Set(names.map(({ deployment }) => deployment))].sort();
  }

  /** Which of several keys of a provider rest at some instance, each once at a place, and for how long yet. */
  restingKeys(provider: string): ProviderKeyRest[] {
    const rests = this.live().flatMap(({ restingKeys }) => restingKeys.filter((one) => one.provider === provider));
    rests.sort((one, other) => one.key - other.key || one.restsForMs - other.restsForMs);
    return [...new Map(rests.map((rest) => [`${rest.key} ${rest.deployment}`, rest])).values()];
  }

  /** How the instances together see a deployment; null: none of them tried it. */
  standingOf(deployment: string): DeploymentStanding | null {
    const seen = this.live().flatMap(({ deployments }) => deployments.filter((one) => one.deployment === deployment));
    const [worst] = [...seen].sort((one, other) => severityOf(other) - severityOf(one));
    if (!worst) return null;
    const limits = seen.flatMap(({ concurrencyLimit }) => concurrencyLimit ?? []);
    const busy = seen.flatMap(({ lastBusyMs }) => lastBusyMs ?? []);
    const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
    return {
      ...worst,
      instances: seen.length,
      lastBusyMs: worst.lastBusyMs === null ? null : Math.min(...busy),
      concurrencyLimit: limits.length === seen.length ? sum(limits) : null,
      inFlight: sum(seen.map(({ inFlight }) => inFlight)),
      waiting: sum(seen.map(({ waiting }) => waiting)),
      probes: sum(seen.map(({ probes }) => probes)),
    };
  }

  private live(): HealthReport[] {
    const nowMs = this.clock.monotonicMs();
    for (const [instance, { heardAtMs }] of this.reports)
      if (nowMs - heardAtMs > goneAfterMs) this.reports.delete(instance);
    return [...this.reports.values()];
  }
}
