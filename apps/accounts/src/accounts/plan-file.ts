import { Inject, Injectable } from '@nestjs/common';
import { FileChange, loadTollgateFile, TollgateFileError } from '@tollgate/configuration';
import type { Logger } from '@tollgate/observability';
import { LOGGER, PeriodicWork } from '@tollgate/service';
import { Changes } from '../keys/changes';
import { AccountsSettings } from '../settings';
import { PlanTable } from './plan-table';

/** As catalog looks at the same file. */
const everyMs = 2_000;

/**
 * Puts the plans of the operator's file in force when it was edited. A file with faults is logged, each with
 * its line, and changes nothing; while Postgres is away it is tried again.
 */
@Injectable()
export class PlanFile {
  private change: FileChange | null = null;
  /** What was read and is not in force yet. */
  private waiting: PlanTable | null = null;

  constructor(
    private readonly settings: AccountsSettings,
    private readonly changes: Changes,
    work: PeriodicWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const { configFile } = settings;
    const onFailure = (err: unknown): void =>
      logger.warn({ err }, 'the edited plans are not in force yet; trying again shortly');
    if (configFile !== undefined)
      work.add({ name: 'plans of the file', everyMs, run: () => this.look(configFile), onFailure });
  }

  /** @throws ControlError `unavailable` when the database is away. */
  private async look(path: string): Promise<void> {
    // The first look reads it once more: it may have been edited since the start.
    const isFirst = this.change === null;
    this.change ??= await FileChange.watch(path);
    if (isFirst || (await this.change.happened())) this.waiting = this.read(path) ?? this.waiting;
    const { waiting } = this;
    if (!waiting) return;
    if (await this.changes.putInForce(waiting)) this.logger.info({ file: path }, 'the edited plans are in force');
    if (this.waiting === waiting) this.waiting = null;
  }

  /** Null: it cannot be used. */
  private read(path: string): PlanTable | null {
    try {
      return new PlanTable(loadTollgateFile(path).plans);
    } catch (error) {
      const faults = error instanceof TollgateFileError ? { problems: error.problems } : { err: error };
      this.logger.error(faults, 'the edited configuration file cannot be used; the plans stay as they are');
      return null;
    }
  }
}
