import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { CatalogSnapshot } from '@tollgate/contracts/catalog';
import type { Database } from '@tollgate/database';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import type { GivenKey } from '../live-settings/fitting-providers';
import { DATABASE } from '../settings';
import { readImportedPrices } from '../prices/imported-price';
import type { ImportedPrices } from '../prices/imported-price';
import { readStandingFactors, type StandingFactors } from '../prices/set-factors';
import { readStandingPrices, type StandingPrices } from '../prices/set-prices';

/**
 * What operators chose that changes what is offered: ids of models, and deployments. `approved`: found in a
 * provider's list, and switched on.
 */
export interface Choices {
  disabled: ReadonlySet<string>;
  approved: ReadonlySet<string>;
  held: CatalogSnapshot['held'];
  settings: SettingsInForce;
  /** Keys of providers, sealed. */
  keys: readonly GivenKey[];
  /** Prices that were set. */
  standing: StandingPrices;
  /** Discounts and markups that were set. */
  factors: StandingFactors;
}

/** The version of the settings that are set without the file, and their document. */
interface SettingsInForce {
  version: number;
  document: string;
}

/** The state of deployments that are closed to catalogs alone which know of no discounts that are set. */
const closedToOlder = 'factored';

/** Nobody set anything. */
export const noSettings: SettingsInForce = { version: 0, document: '' };

/**
 * Knows what operators chose at run time, whichever instance took it: imported and set prices, models that
 * are switched off, deployments that are held, settings, and keys of providers, as they were at the last
 * look. While Postgres is away the last known choices stay.
 */
@Injectable()
export class OperatorChoices implements BeforeApplicationShutdown {
  private revision: bigint | null = null;
  private looking: Promise<unknown> = Promise.resolve();
  private knownImports: ImportedPrices = new Map();
  private knownDisabled: ReadonlySet<string> = new Set();
  private knownApproved: ReadonlySet<string> = new Set();
  private knownHeld: CatalogSnapshot['held'] = [];
  private knownSettings = noSettings;
  private knownKeys: readonly GivenKey[] = [];
  private knownStanding: StandingPrices = new Map();
  private knownFactors: StandingFactors = new Map();

  constructor(
    @Inject(DATABASE)
    private readonly database: Pick<
      Database<'catalog'>,
      | 'importedPrice'
      | 'setPrice'
      | 'setFactor'
      | 'disabledModel'
      | 'approvedModel'
      | 'heldDeployment'
      | 'settingsVersion'
      | 'providerKey'
      | 'catalogRevision'
    >,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  get imported(): ImportedPrices {
    return this.knownImports;
  }

  /** The ids of models that nobody gets, whoever could generate them. */
  get disabled(): ReadonlySet<string> {
    return this.knownDisabled;
  }

  /** The ids of models that only their provider's list tells of, and that an operator switched on. */
  get approved(): ReadonlySet<string> {
    return this.knownApproved;
  }

  /** Deployments that are closed or drained; some of these decisions may have ended since they were read. */
  get held(): CatalogSnapshot['held'] {
    return this.knownHeld;
  }

  /** What is set without the file. */
  get settings(): SettingsInForce {
    return this.knownSettings;
  }

  /** Keys of providers that were given without the environment, sealed. */
  get keys(): readonly GivenKey[] {
    return this.knownKeys;
  }

  /** Prices that administrators set without the file. */
  get standing(): StandingPrices {
    return this.knownStanding;
  }

  /** Discounts and markups that administrators set without the file. */
  get factors(): StandingFactors {
    return this.knownFactors;
  }

  /** What was known before this start; it holds until Postgres tells. */
  assume({ disabled, approved, held, settings, keys, standing, factors }: Choices): void {
    if (this.revision !== null) return;
    this.knownDisabled = disabled;
    this.knownApproved = approved;
    this.knownHeld = held;
    this.knownSettings = settings;
    this.knownKeys = keys;
    this.knownStanding = standing;
    this.knownFactors = factors;
  }

  /** Resolves when no look runs any more. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.looking;
  }

  /**
   * Looks now, after a look that runs; true when something is another than before. Never fails: the next look
   * makes up for one that did.
   */
  look(): Promise<boolean> {
    const looked = this.looking
      .then(() => this.read())
      .catch((error: unknown) => {
        this.logger.debug({ err: error }, 'what operators chose cannot be read; looking again in two seconds');
        return false;
      });
    this.looking = looked;
    return looked;
  }

  private async read(): Promise<boolean> {
    // The revision first: a choice in between then only makes what is read look older than it is.
    const revision = (await this.database.catalogRevision.findUnique({ where: { id: 1 } }))?.revision ?? 0n;
    if (revision === this.revision) return false;
    const imported = await readImportedPrices(this.database);
    const standing = await readStandingPrices(this.database);
    const factors = await readStandingFactors(this.database);
    const disabled = await this.database.disabledModel.findMany();
    const approved = await this.database.approvedModel.findMany();
    const held = await this.database.heldDeployment.findMany({
      where: { state: { not: closedToOlder } },
      orderBy: { deployment: 'asc' },
    });
    const settings = await this.database.settingsVersion.findFirst({ orderBy: { version: 'desc' } });
    const keys = await this.database.providerKey.findMany({ orderBy: [{ provider: 'asc' }, { name: 'asc' }] });
    this.knownImports = imported;
    this.knownStanding = standing;
    this.knownFactors = factors;
    this.knownDisabled = new Set(disabled.map(({ model }) => model));
    this.knownApproved = new Set(approved.map(({ model }) => model));
    this.knownHeld = held.map(({ deployment, state, reason, heldBy, since, until }) => ({
      deployment,
      state: state === 'draining' ? state : 'closed',
      reason,
      by: heldBy,
      since: since.getTime(),
      until: until?.getTime() ?? null,
    }));
    this.knownSettings = settings ? { version: settings.version, document: settings.document } : noSettings;
    this.knownKeys = keys.map(({ setAt, ...key }) => ({ ...key, setAt: setAt.getTime() }));
    this.revision = revision;
    return true;
  }
}
