import { Inject, Injectable } from '@nestjs/common';
import { FileChange, loadTollgateFile, TollgateFileError } from '@tollgate/configuration';
import type { Logger } from '@tollgate/observability';
import { LOGGER, PeriodicWork } from '@tollgate/service';
import { Changes } from '../keys/changes';
import { AccountsSettings } from '../settings';
import { FilePlans } from './file-plans';

/** As catalog looks at the same file. */
const everyMs = 2_000;

/**
 * Puts the plans of the operator's file in force when it was edited. A file with faults is logged, each with
 * its line, and changes nothing; while Postgres is away it is tried again.
 */
@Injectable()
export class PlanFile {
  private change: FileChange | null = null;
  /** Something was read and is not in force yet. */
  private isWaiting = false;

  constructor(
    private readonly settings: AccountsSettings,
    private readonly file: FilePlans,
    private readonly changes: Changes,
    work: PeriodicWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const { configFile } = settings;
    const failure = 'the edited plans are not in force yet; trying again shortly';
    if (configFile !== undefined)
      work.add({ name: 'plans of the file', everyMs, run: () => this.look(configFile), failure });
  }

  /** @throws ControlError `unavailable` when the database is away. */
  private async look(path: string): Promise<void> {
    // The first look reads it once more: it may have been edited since the start.
    const isFirst = this.change === null;
    this.change ??= await FileChange.watch(path);
    if (isFirst || (await this.change.happened())) this.isWaiting = this.read(path) || this.isWaiting;
    if (!this.isWaiting) return;
    if (await this.changes.putInForce()) this.logger.info({ file: path }, 'the edited plans are in force');
    this.isWaiting = false;
  }

  /** False: it cannot be used. */
  private read(path: string): boolean {
    try {
      this.file.plans = loadTollgateFile(path).plans;
      return true;
    } catch (error) {
      const faults = error instanceof TollgateFileError ? { problems: error.problems } : { err: error };
      this.logger.error(faults, 'the edited configuration file cannot be used; the plans stay as they are');
      return false;
    }
  }
}
