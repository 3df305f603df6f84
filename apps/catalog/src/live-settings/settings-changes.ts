import { Injectable } from '@nestjs/common';
import {
  isEmptyDocument,
  parseSettings,
  readableSettings,
  releasePlans,
  setsNothing,
  settingsChanges,
  TollgateFileError,
  withPlan,
} from '@tollgate/configuration';
import { ControlError } from '@tollgate/contracts';
import type { planOperations, SettingsChange, SettingsEntry, settingsOperations } from '@tollgate/contracts/catalog';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { ConfigurationFile } from '../configuration-file/configuration-file';
import { LiveCatalog } from '../live-catalog';
import { noSettings } from '../operator/operator-choices';
import { checkSettings, entryName } from './checked-settings';
import { layeredCatalog } from './layered-catalog';
import { SettingsHistory } from './settings-history';

type Apply = z.output<typeof settingsOperations.apply.request>;
type RollBack = z.output<typeof settingsOperations.rollBack.request>;
type SetPlan = z.output<typeof planOperations.set.request>;
type RemovePlan = z.output<typeof planOperations.remove.request>;
export type Outcome = z.output<typeof settingsOperations.apply.reply>;

/** Who changes it, why, and of which version: absent of whichever. */
export type Change = Pick<Apply, 'reason' | 'by'> & { version?: number | undefined };

type Newest = Awaited<ReturnType<SettingsHistory['newestAs']>>;

/** Others may change other parts of the settings meanwhile. */
const mostTries = 5;

/** Puts settings in force, and takes them back. */
@Injectable()
export class SettingsChanges {
  constructor(
    private readonly history: SettingsHistory,
    private readonly file: ConfigurationFile,
    private readonly catalog: LiveCatalog,
  ) {}

  /**
   * Takes effect here when it resolves (`inForce` tells; at the next look where Postgres does not answer this
   * one), and at every other instance within two seconds.
   * @throws ControlError `outdated` where `version` is not the newest, `invalid` naming the place of every
   * fault; both where it is only tried, too.
   */
  apply(asked: Apply): Promise<Outcome> {
    return this.put(asked, (before, changes) => {
      const changed = new Set(changes.map(entryName));
      return this.passedOver(before).filter((entry) => !changed.has(entryName(entry)));
    });
  }

  /**
   * What the file has by now, or what does not fit it or the release any more, is passed over: in an outage
   * the rest of it is needed. What this release cannot read is refused.
   * @throws ControlError as `apply` does, and `not_found` for a version that there never was.
   */
  async rollBack({ to, version, reason, by }: RollBack): Promise<Outcome> {
    const document = await this.history.document(to);
    const asked = { document, reason: reason ?? `roll-back to version ${to}`, dryRun: false, takesAllBack: true, by };
    return this.fromNewest(version, (from) =>
      this.put({ ...asked, version: from.version }, (_before, _changes, passedOver) => passedOver),
    );
  }

  /**
   * What `change` makes of the newest settings. Where they may be of whichever version (`version` absent), it
   * makes it of those that somebody else set meanwhile.
   * @throws ControlError as `change` does.
   */
  async fromNewest<Result>(version: number | undefined, change: (newest: Newest) => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries++) {
      const newest = (await this.history.newest()) ?? noSettings;
      try {
        return await change({ document: newest.document, version: version ?? newest.version });
      } catch (error) {
        if (version !== undefined || !isOutdated(error) || tries === mostTries) throw error;
      }
    }
  }

  /**
   * A version of the settings that is what `edit` makes of the newest document; what is as it was is no
   * version. All that is set one by one goes this way.
   * @throws ControlError as `apply` and `edit` do.
   */
  edit({ version: of, reason, by }: Change, edit: (before: string) => string): Promise<Outcome> {
    return this.fromNewest(of, async ({ version, document: before }) => {
      const document = orInvalid(() => edit(before));
      return this.apply({ document, version, reason, dryRun: false, takesAllBack: true, by });
    });
  }

  /**
   * A version of the settings with this plan in it, in the place of one of its name.
   * @throws ControlError as `apply` does, and `conflict` where it must be new and is not.
   */
  setPlan({ plan, version, mustBeNew = false, reason, by, ...limits }: SetPlan): Promise<Outcome> {
    return this.edit({ version, reason, by }, (before) => {
      if (mustBeNew && this.isPlan(plan, before))
        throw new ControlError(
          'conflict',
          `There is a plan "${plan}" already. Choose another name, or change that plan.`,
        );
      const isAsItWas = isDeepStrictEqual(readableSettings(before).settings.plans[plan], limits);
      return isAsItWas ? before : withPlan(before, plan, limits);
    });
  }

  /** @throws ControlError as `apply` does, and `not_found`. */
  removePlan({ plan, ...change }: RemovePlan): Promise<Outcome> {
    return this.edit(change, (before) => {
      if (!isPlanOf(before, plan))
        throw new ControlError('not_found', `The settings have no plan ${plan}.${elsewhere(this.file, plan)}`);
      return withPlan(before, plan, null);
    });
  }

  /** Whether the release, the file or this document of settings has a plan of this name. */
  private isPlan(name: string, document: string): boolean {
    const { plans } = this.file.inForce.file;
    return Object.hasOwn(releasePlans, name) || Object.hasOwn(plans, name) || isPlanOf(document, name);
  }

  /** `passes`: which entries need not fit; it is told those that would not hold. */
  private async put(
    { document, version, reason, dryRun, takesAllBack, by }: Apply,
    passes: (before: string, changes: SettingsChange[], passedOver: SettingsEntry[]) => SettingsEntry[],
  ): Promise<Outcome> {
    // What another instance was told, such as a key, counts here, too.
    await this.catalog.look();
    const before = await this.history.newestAs(version);
    if (!takesAllBack && isEmptyDocument(document) && !setsNothing(before.document)) throw nothingGiven();
    const settings = orInvalid(() => parseSettings(document));
    const changes = settingsChanges(readableSettings(before.document).settings, settings);
    const passedOver = this.passedOver(document);
    const passed = new Set(passes(before.document, changes, passedOver).map(entryName));
    orInvalid(() =>
      checkSettings(this.file.inForce, settings, passed, this.catalog.forProviders, this.catalog.pricedBySetting),
    );
    if (dryRun || document === before.document) return { version, applied: false, changes, passedOver };
    const added = await this.history.add(version, { document, setBy: by, reason: reason ?? null });
    await this.catalog.look();
    const { version: inForce } = this.catalog.settingsInForce;
    return { version: added.version, applied: true, changes, passedOver, inForce };
  }

  /** Every entry of the file and of a document, as it would stand now. */
  entries(document: string): SettingsEntry[] {
    return layeredCatalog(this.file.inForce, document, this.catalog.forProviders, this.catalog.pricedBySetting).entries;
  }

  /** Entries of a document that would not hold now. */
  private passedOver(document: string): SettingsEntry[] {
    return this.entries(document).filter(({ origin, standing }) => origin === 'settings' && standing !== 'in-force');
  }
}

function nothingGiven(): ControlError {
  return new ControlError(
    'invalid',
    'document: is empty, which would take back everything that is set. Nothing was changed. Where that is meant, give {}, or roll back to version 0.',
  );
}

/** Whether a document has a plan, were it one that this release cannot read. */
function isPlanOf(document: string, plan: string): boolean {
  const { settings, unreadable } = readableSettings(document);
  return (
    Object.hasOwn(settings.plans, plan) || unreadable.some(({ section, id }) => section === 'plans' && id === plan)
  );
}

/** Where a plan stands that the settings do not have. */
function elsewhere({ inForce }: ConfigurationFile, plan: string): string {
  return Object.hasOwn(inForce.file.plans, plan) ? ' It stands in tollgate.yaml: change it there.' : '';
}

/** Somebody else changed the settings meanwhile. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ControlError && error.code === 'outdated';
}

/** @throws ControlError `invalid` for faults of a document. */
export function orInvalid<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TollgateFileError)) throw error;
    const faults = error.problems.map((problem) => `  - ${problem}`);
    throw new ControlError('invalid', ['The settings cannot be used. Nothing was changed.', ...faults].join('\n'));
  }
}
