import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { PriceFactors } from '@tollgate/contracts';
import { catalogChanged, catalogSubjects } from '@tollgate/contracts/catalog';
import type { CatalogSnapshot, SealingKey, SettingsEntry } from '@tollgate/contracts/catalog';
import { inferenceAnnouncement } from '@tollgate/contracts/inference';
import type { NoticeSubscription } from '@tollgate/messaging';
import { publishJson, subscribeJson } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { LOGGER, NATS, PeriodicWork } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { InferencePresence } from './availability/inference-presence';
import { ReachMemory } from './availability/reach-memory';
import { ConfigurationFile } from './configuration-file/configuration-file';
import { CatalogSettings } from './settings';
import type { ForProviders } from './live-settings/fitting-providers';
import { layeredCatalog, withFaults, type LayeredCatalog } from './live-settings/layered-catalog';
import { OperatorChoices } from './operator/operator-choices';
import { withPricesInForce, type CatalogInForce } from './prices/imported-price';
import { PriceSync } from './prices/price-sync';
import { factorsOf } from './prices/set-factors';
import { pricedBySetting } from './prices/set-prices';
import { OfferedContent } from './snapshot/offered-content';
import { PublishedCatalog } from './snapshot/published-catalog';

/** How often silent instances are looked for. */
const refreshEveryMs = 1_000;
/** How often the operator's file and choices are looked at. */
const lookEveryMs = 2_000;
/** How often the revision is told without a change, for listeners that missed a notice. */
const noticeEveryMs = 5_000;

/**
 * The catalog as it is offered now: what the operator's file says, what operators set and chose at run time,
 * and what of it can be generated. Looks for changes of all three, puts them in force and tells every one.
 */
@Injectable()
export class LiveCatalog implements OnModuleInit, OnModuleDestroy {
  private presence = new InferencePresence();
  private layered: LayeredCatalog;
  /** The file's and the settings', at the prices in force. */
  private catalog: CatalogInForce;
  /** Models whose price was set, which may therefore be new ones of the settings. */
  private priced: ReadonlySet<string> = new Set();
  /** False: what operators chose is only remembered, or not known at all. */
  private hasLooked = false;
  /** Providers that were set while this instance ran, and had no key since. */
  private awaited: ReadonlySet<string> = new Set();
  private readonly offered: OfferedContent;
  private readonly published: PublishedCatalog;
  private readonly subscriptions: NoticeSubscription[] = [];

  constructor(
    private readonly file: ConfigurationFile,
    private readonly choices: OperatorChoices,
    private readonly prices: PriceSync,
    private readonly memory: ReachMemory,
    private readonly settings: CatalogSettings,
    work: PeriodicWork,
    @Inject(NATS) private readonly connection: NatsConnection,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.layered = layeredCatalog(file.inForce, choices.settings.document, this.forProviders);
    this.catalog = withPricesInForce(this.layered.catalog, choices.imported, choices.standing);
    const now = Date.now();
    this.offered = new OfferedContent(settings.pricesOldAfterDays);
    this.published = new PublishedCatalog(this.offered.make(this.catalog, choices, null, now), now);
    work.add({ name: 'silent instances', everyMs: refreshEveryMs, run: () => this.refresh() });
    work.add({ name: 'notice of the revision', everyMs: noticeEveryMs, run: () => this.tell() });
    work.add({ name: 'choices of operators', everyMs: lookEveryMs, run: () => this.look() });
    work.add({ name: 'file of the operator', everyMs: lookEveryMs, run: () => this.lookAtFile() });
  }

  get snapshot(): CatalogSnapshot {
    return this.published.snapshot;
  }

  /** Of all of the snapshot but its revision. */
  get digest(): string {
    return this.published.digest;
  }

  /** What operators had chosen before this start holds until Postgres tells; and it is not waited for. */
  async onModuleInit(): Promise<void> {
    const remembered = await this.memory.recall();
    this.presence = new InferencePresence(remembered?.reach ?? null);
    if (remembered) {
      this.choices.assume(remembered.choices);
      this.lay();
    }
    this.subscriptions.push(
      subscribeJson(
        this.connection,
        catalogSubjects.inferenceAnnouncement,
        inferenceAnnouncement,
        (announcement) => {
          this.presence.hear(announcement, Date.now());
          this.refresh();
        },
        this.logger,
      ),
      subscribeJson(
        this.connection,
        catalogSubjects.changed,
        catalogChanged,
        ({ revision }) => {
          // What another instance took from an operator is not waited for.
          if (revision !== this.snapshot.revision) void this.look();
          this.published.adopt(revision);
        },
        this.logger,
      ),
    );
  }

  onModuleDestroy(): void {
    for (const subscription of this.subscriptions) subscription.unsubscribe();
  }

  /**
   * Looks now what operators chose; when this resolves, it is in force. Never fails: the next look makes up
   * for one that did.
   */
  async look(): Promise<void> {
    if (!(await this.choices.look())) return;
    this.show();
    this.hasLooked = true;
  }

  /** What is set without the file and has come into force, and every entry of it and of the file. */
  get settingsInForce(): { version: number; entries: SettingsEntry[] } {
    const { version } = this.choices.settings;
    return { version, entries: withFaults(this.layered.entries, this.faults) };
  }

  /** What providers of the settings depend on beside them. */
  get forProviders(): ForProviders {
    return { keys: this.choices.keys, privateHosts: this.settings.providerPrivateHosts };
  }

  /** Why inference cannot use providers that are set without the file, by provider id. */
  get faults(): ReadonlyMap<string, string> {
    return this.presence.faults(Date.now());
  }

  /** What keys of providers are sealed with now; null: no inference instance could open them, or not all. */
  get sealing(): SealingKey | null {
    return this.presence.sealing(Date.now());
  }

  /** Ids of the keys that an inference instance opens; null: none was heard of. */
  get opens(): string[] | null {
    return this.presence.openedByAny(Date.now());
  }

  /** What keys are sealed with anew; null: instances have different ones as their newest. */
  get newestSealing(): SealingKey | null {
    return this.presence.newestSealing(Date.now());
  }

  /**
   * False: a guardrail of the settings is of another release. Then no one is answered with the catalog: what
   * asks keeps the last that it had, or has another instance.
   */
  get areGuardrailsKnown(): boolean {
    return this.layered.areGuardrailsKnown;
  }

  /** Models whose price was set, and is in force. */
  get pricedBySetting(): ReadonlySet<string> {
    return new Set(pricedBySetting(this.choices.standing, Date.now()));
  }

  /** What the catalog knows of a model: its own, found in its provider's list alone, or nothing. */
  kindOf(id: string): 'own' | 'discovered' | null {
    const model = this.snapshot.models.find((each) => each.id === id);
    return model ? (model.discovered ? 'discovered' : 'own') : null;
  }

  hasDeployment(id: string): boolean {
    return this.snapshot.models.some(({ deployments }) => deployments.some((deployment) => deployment.id === id));
  }

  /** Deployments whose discount or markup stands in the file, and what it says. */
  get factorsOfFile(): ReadonlyMap<string, PriceFactors> {
    const places = this.layered.catalog.models.flatMap(({ deployments }) => deployments);
    return new Map(
      places.flatMap((place) => {
        const said = factorsOf(place);
        return said ? [[place.id, said] as const] : [];
      }),
    );
  }

  private async lookAtFile(): Promise<void> {
    if (!(await this.file.look())) return;
    this.show();
    this.prices.record(this.file.catalog, this.file.readAt);
  }

  private show(): void {
    this.lay();
    this.refresh();
  }

  private lay(): void {
    this.priced = new Set(pricedBySetting(this.choices.standing, Date.now()));
    const { document } = this.choices.settings;
    const before = new Set(this.layered.catalog.providers.map(({ id }) => id));
    this.layered = layeredCatalog(this.file.inForce, document, this.forProviders, this.priced);
    this.catalog = withPricesInForce(this.layered.catalog, this.choices.imported, this.choices.standing);
    const comes = (id: string) => this.awaited.has(id) || (this.hasLooked && !before.has(id));
    this.awaited = new Set(this.withoutKeys().filter(comes));
    const aside = this.layered.entries.filter(({ problem }) => problem !== null);
    const waiting = aside.filter(({ section, id }) => section === 'providers' && this.awaited.has(id ?? ''));
    const unfit = aside.filter((entry) => !waiting.includes(entry)).flatMap(({ problem }) => problem ?? []);
    if (!this.areGuardrailsKnown)
      this.logger.fatal(
        { version: this.choices.settings.version },
        'settings have guardrails that this release does not understand: the catalog is told to nobody; put the release back that took them, or settings in force without them',
      );
    if (unfit.length > 0)
      this.logger.error(
        { version: this.choices.settings.version, problems: unfit },
        'settings do not fit the file or this release any more, and are set aside',
      );
    if (waiting.length > 0)
      this.logger.warn(
        { version: this.choices.settings.version, problems: waiting.flatMap(({ problem }) => problem ?? []) },
        'providers of the settings were given no key yet, and are set aside until they are',
      );
  }

  /** Providers that fit, and only lack a key: there is none of theirs, were it for another address. */
  private withoutKeys(): string[] {
    return this.layered.catalog.providers
      .filter(({ isLive, sealedKeys }) => isLive === true && sealedKeys?.length === 0)
      .map(({ id }) => id)
      .filter((id) => !this.choices.keys.some(({ provider }) => provider === id));
  }

  private refresh(): void {
    const now = Date.now();
    // A price that came into force may have been waited for by a new model.
    const priced = pricedBySetting(this.choices.standing, now);
    if (priced.length !== this.priced.size || priced.some((id) => !this.priced.has(id))) this.lay();
    const reach = this.presence.reach(now);
    if (reach) void this.memory.keep(reach, this.choices);
    const content = this.offered.makeAnew(this.catalog, this.choices, reach, now);
    if (!content || !this.published.replace(content, now)) return;
    const { revision, sandbox, models, available } = this.snapshot;
    this.logger.info({ revision, sandbox, models: models.length, available: available.length }, 'the catalog changed');
    this.tell();
  }

  private tell(): void {
    if (!this.areGuardrailsKnown) return;
    publishJson(this.connection, catalogSubjects.changed, { revision: this.snapshot.revision });
  }
}
