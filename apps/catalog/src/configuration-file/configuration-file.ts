import { FileChange, TollgateFileError } from '@tollgate/configuration';
import type { Logger } from '@tollgate/observability';
import type { EffectiveCatalog } from '../effective/effective-catalog';
import { readCatalog, type ReadFile } from './read-catalog';

/**
 * The operator's file, and the catalog that it makes together with built-in providers and seed. Imported
 * prices are not in it.
 */
export class ConfigurationFile {
  /** When the catalog was read, epoch milliseconds. */
  readAt = Date.now();
  private looking: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly path: string | undefined,
    private readonly change: FileChange | null,
    private readonly logger: Logger,
    /** As it was read last without a fault. */
    public inForce: ReadFile,
  ) {}

  get catalog(): EffectiveCatalog {
    return this.inForce.catalog;
  }

  /**
   * Reads the file, if there is one (undefined: there is none).
   * @throws TollgateFileError naming the place of every fault.
   */
  static async read(path: string | undefined, logger: Logger): Promise<ConfigurationFile> {
    // Before it is read, so that no edit is missed.
    const change = path === undefined ? null : await FileChange.watch(path);
    return new ConfigurationFile(path, change, logger, readCatalog(path));
  }

  /**
   * Reads the file again when it was edited; true when the catalog is another one now. A file with faults is
   * logged, each with its line, and changes nothing.
   */
  look(): Promise<boolean> {
    const looked = this.looking.then(async () => (await this.change?.happened()) === true && this.reload());
    this.looking = looked;
    return looked;
  }

  private reload(): boolean {
    try {
      this.inForce = readCatalog(this.path);
      this.readAt = Date.now();
      this.logger.info({ file: this.path }, 'the configuration file was read again');
      return true;
    } catch (error) {
      const faults = error instanceof TollgateFileError ? { problems: error.problems } : { err: error };
      this.logger.error(faults, 'the edited configuration file cannot be used; the last good one stays in force');
      return false;
    }
  }
}
