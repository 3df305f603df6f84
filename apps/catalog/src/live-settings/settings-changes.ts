import { Injectable } from '@nestjs/common';
import { readableSettings, settingsChanges, TollgateFileError, type Settings } from '@tollgate/configuration';
import { ControlError, type settingsOperations } from '@tollgate/contracts';
import type { z } from 'zod';
import { ConfigurationFile } from '../configuration-file/configuration-file';
import { LiveCatalog } from '../live-catalog';
import { noSettings } from '../operator/operator-choices';
import { checkedSettings } from './checked-settings';
import { SettingsHistory } from './settings-history';

type Apply = z.output<typeof settingsOperations.apply.request>;
type RollBack = z.output<typeof settingsOperations.rollBack.request>;
type Outcome = z.output<typeof settingsOperations.apply.reply>;

/** Puts settings in force, and takes them back. */
@Injectable()
export class SettingsChanges {
  constructor(
    private readonly history: SettingsHistory,
    private readonly file: ConfigurationFile,
    private readonly catalog: LiveCatalog,
  ) {}

  /**
   * Takes effect here when it resolves, and at every other instance within two seconds.
   * @throws ControlError `outdated` where `version` is not the newest, `invalid` naming the place of every
   * fault; both where it is only tried, too.
   */
  async apply({ document, version, reason, dryRun, by }: Apply): Promise<Outcome> {
    const before = await this.history.newestAs(version);
    const settings = this.checked(document);
    const changes = settingsChanges(readableSettings(before.document).settings, settings);
    if (dryRun || document === before.document) return { version, applied: false, changes };
    const added = await this.history.add(version, { document, setBy: by, reason: reason ?? null });
    await this.catalog.look();
    return { version: added.version, applied: true, changes };
  }

  /** @throws ControlError as `apply` does, and `not_found` for a version that there never was. */
  async rollBack({ to, version, reason, by }: RollBack): Promise<Outcome> {
    const document = await this.history.document(to);
    const from = version ?? (await this.history.newest())?.version ?? noSettings.version;
    const why = reason ?? `roll-back to version ${to}`;
    return this.apply({ document, version: from, reason: why, dryRun: false, by });
  }

  private checked(document: string): Settings {
    try {
      return checkedSettings(this.file.inForce, document);
    } catch (error) {
      if (!(error instanceof TollgateFileError)) throw error;
      const faults = error.problems.map((problem) => `  - ${problem}`);
      throw new ControlError('invalid', ['The settings cannot be used. Nothing was changed.', ...faults].join('\n'));
    }
  }
}
