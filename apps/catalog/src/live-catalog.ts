import type { CatalogSnapshot } from '@tollgate/contracts';
import { catalogChanged, catalogSubjects, inferenceAnnouncement, isRetired } from '@tollgate/contracts';
import type { NoticeSubscription } from '@tollgate/messaging';
import { publishJson, subscribeJson } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { availableModels } from './availability/available-models';
import { InferencePresence, type Reach } from './availability/inference-presence';
import type { ReachMemory } from './availability/reach-memory';
import { discoveredModels, waitingModels } from './effective/discovered-models';
import type { EffectiveCatalog } from './effective/effective-catalog';
import type { Choices } from './operator/operator-choices';
import { sheetAt } from './prices/sheet-at';
import type { CatalogContent } from './snapshot/published-catalog';
import { PublishedCatalog } from './snapshot/published-catalog';

/** How often silent instances are looked for. */
const lookEveryMs = 1_000;
/** How often the revision is told without a change, for listeners that missed a notice. */
const noticeEveryMs = 5_000;

/** The catalog as it is offered now: what is in force and what of it can be generated. Tells every change of it. */
export class LiveCatalog {
  /** Another instance told a revision that is not this one's. */
  onForeignRevision: () => void = () => undefined;
  private presence = new InferencePresence();
  private choices: Choices = { disabled: new Set(), approved: new Set(), held: [] };
  private readonly published: PublishedCatalog;
  private readonly subscriptions: NoticeSubscription[] = [];
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private catalog: EffectiveCatalog,
    private readonly connection: NatsConnection,
    private readonly memory: ReachMemory,
    private readonly logger: Logger,
  ) {
    this.published = new PublishedCatalog(contentOf(catalog, this.choices, null, Date.now()), Date.now());
  }

  get snapshot(): CatalogSnapshot {
    return this.published.snapshot;
  }

  /** Resolves with what operators had chosen before this start, as far as that is known. */
  async start(): Promise<Choices> {
    const remembered = await this.memory.recall();
    this.presence = new InferencePresence(remembered?.reach ?? null);
    if (remembered) this.choices = remembered.choices;
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
          if (revision !== this.snapshot.revision) this.onForeignRevision();
          this.published.adopt(revision);
        },
        this.logger,
      ),
    );
    this.refresh();
    this.tell();
    this.timers.push(
      setInterval(() => this.refresh(), lookEveryMs),
      setInterval(() => this.tell(), noticeEveryMs),
    );
    return this.choices;
  }

  /** Takes another catalog into force, at once, without the models that are switched off. */
  use(catalog: EffectiveCatalog, { disabled, approved, held }: Choices): void {
    this.catalog = catalog;
    this.choices = { disabled, approved, held };
    this.refresh();
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
    for (const subscription of this.subscriptions) subscription.unsubscribe();
  }

  private refresh(): void {
    const now = Date.now();
    const reach = this.presence.reach(now);
    if (reach) void this.memory.keep(reach, this.choices);
    if (!this.published.replace(contentOf(this.catalog, this.choices, reach, now), now)) return;
    const { revision, sandbox, models, available } = this.snapshot;
    this.logger.info({ revision, sandbox, models: models.length, available: available.length }, 'the catalog changed');
    this.tell();
  }

  private tell(): void {
    publishJson(this.connection, catalogSubjects.changed, { revision: this.snapshot.revision });
  }
}

/**
 * What is offered at `now` (epoch milliseconds), at the prices of that instant. `reach` null, nothing known of inference yet: no model is available. One that is
 * switched off or retired is nobody's fallback either. A hold of a deployment ends here, so that only one clock counts.
 */
function contentOf(
  { providers, models: configured, retiredNames, factsAsOf, guardrails, contentLog, priced }: EffectiveCatalog,
  { disabled, approved, held }: Choices,
  reach: Reach | null,
  now: number,
): CatalogContent {
  const found = reach ? discoveredModels(providers, configured, reach.listed, factsAsOf) : [];
  const models = [...configured, ...found];
  const off = new Set([...disabled, ...waitingModels(providers, found, approved)]);
  const isOn = (id: string) => !off.has(id);
  const gone = new Set(models.flatMap(({ id, retirement }) => (isOn(id) && !isRetired(retirement, now) ? [] : [id])));
  const sheets = new Map(priced.map((each) => [each.model, sheetAt(each, now)]));
  return {
    sandbox: reach?.sandbox ?? false,
    providers,
    models: models.map((each) => ({
      ...each,
      prices: sheets.get(each.id) ?? null,
      fallbacks: each.fallbacks.filter((id) => !gone.has(id)),
    })),
    reachable: reach ? [...reach.providers].sort() : [],
    available: reach ? availableModels(models, reach, now).filter(isOn) : [],
    guardrails,
    contentLog,
    disabled: models.map(({ id }) => id).filter((id) => off.has(id)),
    held: held.filter(({ until }) => until === null || now < until),
    retiredNames,
    factsAsOf,
  };
}
