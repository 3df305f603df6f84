import { Inject, Injectable } from '@nestjs/common';
import { healthReport, healthSubjects, type DeploymentHealth, type HealthReport } from '@tollgate/contracts/inference';
import { subscribeJson } from '@tollgate/messaging';
import { NATS, PeriodicWork } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { AccountsSettings } from '../settings';
import { Storage } from '../storage';
import { namedFew } from './named-few';
import { refusedKeyAlert, refusedKeyName } from './refused-keys';
import { areAlertsSent, type Alert } from './tell-alert';
import { tellNew, tellOnce, tellOver } from './told-alerts';

const everyMs = 5_000;
/** Instances tell every five seconds; one that was silent for three times that is gone. */
const goneAfterMs = 15_000;
/** What is left alone for less may be a hiccup, and what is well for less may not stay so. */
const steadyMs = 60_000;
/** A key that stays refused is told of again after so long. */
const remindMs = 86_400_000;
/** Before the name of a provider and of its place, which have no spaces. */
const downName = 'provider.down ';

/**
 * Tells webhooks of providers whose places every inference instance leaves alone, for everybody and for a
 * minute, of servers that say to everybody that they are busy and answer nobody, of those that are in use
 * again for a minute, and of keys of a provider that were refused. What one caller's own requests meet is not
 * told, unless several keys of one account ask and nobody is answered.
 */
@Injectable()
export class ProviderAlerts {
  private readonly reports = new Map<string, HealthReport & { heardAt: number }>();
  /** Since when places and providers that were told to be down are well, as far as this instance knows. */
  private readonly wellSince = new Map<string, number>();

  constructor(
    @Inject(NATS) connection: NatsConnection,
    private readonly storage: Storage,
    private readonly settings: AccountsSettings,
    work: PeriodicWork,
  ) {
    subscribeJson(connection, healthSubjects.report, healthReport, (report) => this.heard(report, Date.now()));
    const failure = 'webhooks could not be told how providers stand; trying again shortly';
    work.add({ name: 'alerts of providers', everyMs, run: () => this.tell(Date.now()), failure });
  }

  /** An instance tells how it sees its deployments. `now`: epoch milliseconds, as everywhere here. */
  heard(report: HealthReport, now: number): void {
    this.reports.set(report.instance, { ...report, heardAt: now });
  }

  /** Tells what is not told yet. @throws ControlError `unavailable`. */
  async tell(now: number): Promise<void> {
    for (const [instance, { heardAt }] of this.reports) if (now - heardAt > goneAfterMs) this.reports.delete(instance);
    if (this.reports.size === 0 || !(await this.storage.read(areAlertsSent))) return;
    await this.tellDown();
    await this.tellBack(now);
    await this.tellKeys(now);
  }

  /**
   * One alert for all places of a provider that are newly down: every instance that tried one leaves it
   * alone.
   */
  private async tellDown(): Promise<void> {
    const seen = new Map<string, DeploymentHealth[]>();
    for (const { deployments } of this.reports.values())
      for (const one of deployments) seen.set(one.deployment, [...(seen.get(one.deployment) ?? []), one]);
    const places = new Map<string, DeploymentHealth[]>();
    const down = new Map<string, DeploymentHealth[]>();
    for (const [one, ...others] of seen.values()) {
      if (!one) continue;
      places.set(one.provider, [...(places.get(one.provider) ?? []), one]);
      if ([one, ...others].every((each) => isDown(each) && (each.openForMs ?? 0) >= steadyMs))
        down.set(one.provider, [...(down.get(one.provider) ?? []), one]);
    }
    for (const [provider, those] of down) {
      const names = new Map(those.map((place) => [nameOf(place), place]));
      const alertOf = (fresh: ReadonlySet<string>): Alert => {
        const newly = [...names].flatMap(([name, place]) => (fresh.has(name) ? [place] : []));
        const tried = places.get(provider)?.length ?? those.length;
        return { ...downAlert(provider, newly, those.length, tried), link: this.link };
      };
      await this.storage.transaction((queries) => tellNew(queries, [...names.keys()], alertOf));
    }
  }

  /** Where people see how all places stand. */
  private get link(): string {
    return `${this.settings.people.publicUrl}/admin/deployments`;
  }

  /** A place that is well for a minute may be told again; when all of a provider are, that is told. */
  private async tellBack(now: number): Promise<void> {
    const rows = await this.storage.read(({ toldAlert }) =>
      toldAlert.findMany({ where: { name: { startsWith: downName } } }),
    );
    const told = rows.map(({ name }) => name);
    const alone = Array.from(this.reports.values(), ({ deployments }) => deployments.filter(isDown)).flat();
    const troubled = new Set(alone.flatMap((place) => [nameOf(place), place.provider]));
    const wasWell = (name: string): boolean => {
      if (troubled.has(name)) this.wellSince.delete(name);
      else if (!this.wellSince.has(name)) this.wellSince.set(name, now);
      return now - (this.wellSince.get(name) ?? now) >= steadyMs;
    };
    const providers = new Set(told.map(providerOf));
    const back = new Set([...providers].filter(wasWell));
    const over = told.filter((name) => wasWell(name) && !back.has(providerOf(name)));
    for (const known of this.wellSince.keys())
      if (!providers.has(known) && !told.includes(known)) this.wellSince.delete(known);
    for (const name of over) await this.storage.transaction((queries) => tellOver(queries, [name], null));
    for (const provider of back) {
      const text = `${provider} is back: requests go to all of its places again.`;
      const advice = 'Nothing is left to do.';
      const alert = { kind: 'provider.back', text, advice, link: this.link, data: { provider } } as const;
      const names = told.filter((name) => providerOf(name) === provider);
      await this.storage.transaction((queries) => tellOver(queries, names, alert));
    }
  }

  /** Keys that are out of their limits rest at single places, and are not told: others serve meanwhile. */
  private async tellKeys(now: number): Promise<void> {
    const all = Array.from(this.reports.values(), ({ restingKeys }) => restingKeys).flat();
    const refused = all.filter(({ deployment }) => deployment === null);
    for (const rest of refused) {
      const link = `${this.settings.people.publicUrl}/admin/providers/${encodeURIComponent(rest.provider)}`;
      const alert = { ...refusedKeyAlert(rest, refused), link };
      const name = refusedKeyName(rest);
      await this.storage.transaction((queries) => tellOnce(queries, name, alert, new Date(now + remindMs)));
    }
  }
}

function isDown({ state, callers, answersNobody, held }: DeploymentHealth): boolean {
  return held === null && (answersNobody || (state !== 'closed' && callers === null));
}

function nameOf({ provider, deployment }: DeploymentHealth): string {
  return `${downName}${provider} ${deployment}`;
}

function providerOf(name: string): string {
  return name.slice(downName.length).split(' ', 1)[0] ?? '';
}

/** `newly`: of which nobody was told yet; `down` of the `places` to which requests went are down now. */
function downAlert(
  provider: string,
  newly: readonly DeploymentHealth[],
  down: number,
  places: number,
): Omit<Alert, 'link'> {
  const names = newly.map(({ deployment }) => deployment).sort();
  const why = newly[0]?.why ?? null;
  const because = why === null ? '' : ` (${why})`;
  const [are, answer] = names.length === 1 ? ['is', 'answers'] : ['are', 'answer'];
  const isForAll = newly.some(({ callers }) => callers === null);
  const how = isForAll ? `${are} left alone by every instance` : `${answer} none of the keys that ask`;
  return {
    kind: 'provider.down',
    text: `${provider} is down at ${down} of ${places} ${places === 1 ? 'place' : 'places'}: ${namedFew(names)} ${how}${because}.`,
    advice:
      'Its callers are served by the next place or by a fallback, where there is one, else they get 503. It is tried again by itself; a refused key has to be replaced.',
    data: { provider, deployments: names.join(', '), count: down, places, why },
  };
}
