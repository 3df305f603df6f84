import type { Database } from '@tollgate/database';
import type { Logger } from '@tollgate/observability';
import { readImportedPrices } from './imported-price';
import type { ImportedPrices } from './imported-price';

const lookEveryMs = 2_000;

/** Knows the imported prices, whichever instance took them: looks every two seconds whether prices changed. While Postgres is away the last known ones stay. */
export class ImportWatch {
  private revision: bigint | null = null;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private known: ImportedPrices = new Map();

  constructor(
    private readonly database: Pick<Database<'catalog'>, 'importedPrice' | 'catalogRevision'>,
    private readonly logger: Logger,
    private readonly onChange: () => void,
  ) {}

  get imported(): ImportedPrices {
    return this.known;
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
        this.logger.debug({ err: error }, 'imported prices cannot be read; looking again in two seconds');
      });
    return this.looking;
  }

  private async read(): Promise<void> {
    // The revision first: an import in between then only makes what is read look older than it is.
    const revision = (await this.database.catalogRevision.findUnique({ where: { id: 1 } }))?.revision ?? 0n;
    if (revision === this.revision) return;
    this.known = await readImportedPrices(this.database);
    this.revision = revision;
    this.onChange();
  }
}
