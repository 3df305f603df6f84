import { Inject, Injectable } from '@nestjs/common';
import { planOperations } from '@tollgate/contracts/catalog';
import { ControlClient } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { LOGGER, PeriodicWork } from '@tollgate/service';
import { Changes } from '../keys/changes';

/** As the plans of the file are looked at. */
const everyMs = 2_000;

/**
 * Puts the plans in force that administrators set without tollgate.yaml, as catalog tells them. While it does
 * not answer, those that were told last stay, also over a start.
 */
@Injectable()
export class PlanSettings {
  /** Null: not known yet. */
  private version: number | null = null;

  constructor(
    private readonly control: ControlClient,
    private readonly changes: Changes,
    work: PeriodicWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const onFailure = (err: unknown): void =>
      logger.debug({ err }, 'plans of the settings are not told; asking again shortly');
    work.add({ name: 'plans of the settings', everyMs, run: () => this.look(), onFailure });
  }

  /** @throws ControlError `unavailable` while catalog or the database is away. */
  private async look(): Promise<void> {
    const told = await this.control.call(planOperations.list, {}, { absentMs: 0 });
    if (told.version === this.version) return;
    if (await this.changes.putInForce(told))
      this.logger.info({ version: told.version }, 'the plans of the settings are in force');
    // Another catalog may understand what this one does not.
    if (told.unreadable.length === 0) this.version = told.version;
  }
}
