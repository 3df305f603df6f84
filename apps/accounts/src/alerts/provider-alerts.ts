import { Inject, Injectable } from '@nestjs/common';
import { healthReport, healthSubjects, type DeploymentHealth, type HealthReport } from '@tollgate/contracts';
import { subscribeJson } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { LOGGER, NATS, PeriodicWork } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { Storage } from '../storage';
import type { Alert } from './tell-alert';
import { tellOnce, tellOver } from './told-alerts';

const everyMs = 5_000;
/** Instances tell every five seconds; one that was silent for three times that is gone. */
const goneAfterMs = 15_000;
/** What is left alone for less may be a hiccup, and what is well for less may not stay so. */
const steadyMs = 60_000;
/** A key that stays refused is told of again after so long. */
const remindMs = 86_400_000;
const mostNamed = 5;
const downName = 'provider.down ';

/**
 * Tells webhooks of providers whose places every inference instance leaves alone, for everybody and for a
 * minute, of those that are in use again for a minute, and of keys of a provider that were refused. What one
 * caller's own requests meet is not told.
 */
@Injectable()
export class ProviderAlerts {
  private readonly reports = new Map<string, HealthReport & { heardAt: number }>();
  /** Since when providers that were told to be down are well, as far as this instance knows. */
  private readonly wellSince = new Map<string, number>();

  constructor(
    @Inject(NATS) connection: NatsConnection,
    private readonly storage: Storage,
    work: PeriodicWork,
    @Inject(LOGGER) logger: Logger,
  ) {
    subscribeJson(connection, healthSubjects.report, healthReport, (report) => this.heard(report, Date.now()));
    const onFailure = (err: unknown): void =>
      logger.warn({ err }, 'webhooks could not be told how providers stand; trying again shortly');
    work.add({ name: 'alerts of providers', everyMs, run: () => this.tell(Date.now()), onFailure });
  }

  /** An instance tells how it sees its deployments. `now`: epoch milliseconds, as everywhere here. */
  heard(report: HealthReport, now: number): void {
    this.reports.set(report.instance, { ...report, heardAt: now });
  }

  /** Tells what is not told yet. @throws ControlError `unavailable`. */
  async tell(now: number): Promise<void> {
    for (const [instance, { heardAt }] of this.reports) if (now - heardAt > goneAfterMs) this.reports.delete(instance);
    if (this.reports.size === 0 || (await this.storage.read(({ webhook }) => webhook.count({ take: 1 }))) === 0) return;
    for (const [provider, down] of this.down())
      await this.storage.transaction((queries) =>
        tellOnce(queries, downName + provider, downAlert(provider, down), null),
      );
    await this.tellBack(now);
    await this.tellKeys(now);
  }

  /** Providers of which every instance that tried a place leaves it alone; with those places. */
  private down(): Map<string, DeploymentHealth[]> {
    const seen = new Map<string, DeploymentHealth[]>();
    for (const { deployments } of this.reports.values())
      for (const one of deployments) seen.set(one.deployment, [...(seen.get(one.deployment) ?? []), one]);
    const down = new Map<string, DeploymentHealth[]>();
    for (const [one, ...others] of seen.values()) {
      if (!one || ![one, ...others].every((each) => isLeftAlone(each) && (each.openForMs ?? 0) >= steadyMs)) continue;
      down.set(one.provider, [...(down.get(one.provider) ?? []), one]);
    }
    return down;
  }

  private async tellBack(now: number): Promise<void> {
    const told = await this.storage.read(({ toldAlert }) =>
      toldAlert.findMany({ where: { name: { startsWith: downName } } }),
    );
    const troubled = new Set(
      Array.from(this.reports.values(), ({ deployments }) => deployments.filter(isLeftAlone))
        .flat()
        .map(({ provider }) => provider),
    );
    for (const { name } of told) {
      const provider = name.slice(downName.length);
      if (troubled.has(provider)) this.wellSince.delete(provider);
      else if (!this.wellSince.has(provider)) this.wellSince.set(provider, now);
      if (now - (this.wellSince.get(provider) ?? now) < steadyMs) continue;
      this.wellSince.delete(provider);
      const text = `${provider} is back: requests go to all of its places again.`;
      const alert = { kind: 'provider.back', text, data: { provider } } as const;
      await this.storage.transaction((queries) => tellOver(queries, name, alert));
    }
  }

  /** Keys that are out of their limits rest at single places, and are not told: others serve meanwhile. */
  private async tellKeys(now: number): Promise<void> {
    for (const { restingKeys } of this.reports.values())
      for (const { provider, key, status, deployment } of restingKeys) {
        if (deployment !== null) continue;
        const text = `Key ${key} of ${provider} is refused (${status}); its other keys serve.`;
        const alert = { kind: 'provider.key_refused', text, data: { provider, key, status } } as const;
        const name = `provider.key_refused ${provider} ${key}`;
        await this.storage.transaction((queries) => tellOnce(queries, name, alert, new Date(now + remindMs)));
      }
  }
}

function isLeftAlone({ state, callers, held }: DeploymentHealth): boolean {
  return state !== 'closed' && callers === null && held === null;
}

function downAlert(provider: string, down: readonly DeploymentHealth[]): Alert {
  const names = down.map(({ deployment }) => deployment).sort();
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  const named = names.slice(0, mostNamed).join(', ') + more;
  const why = down[0]?.why ?? null;
  return {
    kind: 'provider.down',
    text: `${provider} is down: ${named} ${names.length === 1 ? 'is' : 'are'} left alone by every instance${why === null ? '' : ` (${why})`}.`,
    data: { provider, deployments: named, count: names.length, why },
  };
}
