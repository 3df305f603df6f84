import { TollgateFileError } from '@tollgate/configuration';
import type { Logger } from '@tollgate/observability';
import type { EffectiveCatalog } from '../effective/effective-catalog';
import { FileChange } from './file-change';
import { readCatalog } from './read-catalog';

const lookEveryMs = 2_000;

/** Reads the catalog again when its configuration file was edited. A file with faults is logged, each with its line, and changes nothing. */
export class ConfigurationWatch {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();

  private constructor(
    private readonly path: string,
    private readonly change: FileChange,
    private readonly logger: Logger,
  ) {}

  /** Remembers the file as it is now. Whoever reads it does so after this, so that no edit is missed. */
  static async of(path: string, logger: Logger): Promise<ConfigurationWatch> {
    return new ConfigurationWatch(path, await FileChange.watch(path), logger);
  }

  start(onCatalog: (catalog: EffectiveCatalog) => void): void {
    this.timer = setInterval(() => {
      this.looking = this.looking.then(async () => {
        if (await this.change.happened()) this.reload(onCatalog);
      });
    }, lookEveryMs);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private reload(onCatalog: (catalog: EffectiveCatalog) => void): void {
    try {
      onCatalog(readCatalog(this.path));
      this.logger.info({ file: this.path }, 'the configuration file was read again');
    } catch (error) {
      const faults = error instanceof TollgateFileError ? { problems: error.problems } : { err: error };
      this.logger.error(faults, 'the edited configuration file cannot be used; the last good one stays in force');
    }
  }
}
