import type { CatalogSnapshot } from '@tollgate/contracts';
import type { Database } from '@tollgate/database';
import type { Logger } from '@tollgate/observability';
import { readImportedPrices } from '../prices/imported-price';
import type { ImportedPrices } from '../prices/imported-price';

const lookEveryMs = 2_000;

/** What operators chose that changes what is offered: ids of models, and deployments. `approved`: found in a provider's list, and switched on. */
export interface Choices {
  disabled: ReadonlySet<string>;
  approved: ReadonlySet<string>;
  held: CatalogSnapshot['held'];
}

/**
 * Knows what operators chose at run time, whichever instance took it: imported prices, models that are switched
 * off, and deployments that are held. Looks every two seconds whether something changed. While Postgres is away
 * the last known choices stay.
 */
export class OperatorChoices {
  private revision: bigint | null = null;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private knownImports: ImportedPrices = new Map();
  private knownDisabled: ReadonlySet<string> = new Set();
  private knownApproved: ReadonlySet<string> = new Set();
  private knownHeld: CatalogSnapshot['held'] = [];

  constructor(
    private readonly database: Pick<
      Database<'catalog'>,
      'importedPrice' | 'disabledModel' | 'approvedModel' | 'heldDeployment' | 'catalogRevision'
    >,
    private readonly logger: Logger,
    private readonly onChange: () => void,
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

  /** What was known before this start; it holds until Postgres tells. */
  assume({ disabled, approved, held }: Choices): void {
    if (this.revision !== null) return;
    this.knownDisabled = disabled;
    this.knownApproved = approved;
    this.knownHeld = held;
  }

  start(): void {
    this.timer = setInterval(() => void this.look(), lookEveryMs);
    void this.look();
  }

  /** Resolves when no look runs any more. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  /** Looks now, after a look that runs. Never fails: the next look makes up for one that did. */
  look(): Promise<void> {
    this.looking = this.looking
      .then(() => this.read())
      .catch((error: unknown) => {
        this.logger.debug({ err: error }, 'what operators chose cannot be read; looking again in two seconds');
      });
    return this.looking;
  }

  private async read(): Promise<void> {
    // The revision first: a choice in between then only makes what is read look older than it is.
    const revision = (await this.database.catalogRevision.findUnique({ where: { id: 1 } }))?.revision ?? 0n;
    if (revision === this.revision) return;
    const imported = await readImportedPrices(this.database);
    const disabled = await this.database.disabledModel.findMany();
    const approved = await this.database.approvedModel.findMany();
    const held = await this.database.heldDeployment.findMany({ orderBy: { deployment: 'asc' } });
    this.knownImports = imported;
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
    this.revision = revision;
    this.onChange();
  }
}
