import { Controller } from '@nestjs/common';
import { readableSettings } from '@tollgate/configuration';
import { ControlError, planOperations } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import type { z } from 'zod';
import { noSettings } from '../operator/operator-choices';
import { known, stored } from '../operator/stored';
import { SettingsChanges } from './settings-changes';
import { SettingsHistory } from './settings-history';

type Operations = typeof planOperations;
type Request<Name extends keyof Operations> = z.output<Operations[Name]['request']>;
type Reply<Name extends keyof Operations> = Promise<z.input<Operations[Name]['reply']>>;

/** Plans that administrators set without the file. Accounts puts them in force. */
@Controller()
export class PlansController {
  constructor(
    private readonly history: SettingsHistory,
    private readonly changes: SettingsChanges,
  ) {}

  /**
   * @throws ControlError `unavailable` also for a document of another release of which it cannot be said
   * which plans it has.
   */
  @Serve(planOperations.list)
  async list(_asked: Request<'list'>): Reply<'list'> {
    const { version, document } = (await known(this.history.newest())) ?? noSettings;
    const { settings, unreadable } = readableSettings(document);
    if (unreadable.some(({ section, id }) => id === null && (section === 'plans' || section === 'guardrails')))
      throw new ControlError('unavailable', `This release cannot read the settings of version ${version}.`);
    const names = unreadable.flatMap(({ section, id }) => (section === 'plans' && id !== null ? [id] : []));
    return { version, plans: settings.plans, unreadable: names };
  }

  @Serve(planOperations.set)
  set(asked: Request<'set'>): Reply<'set'> {
    return stored(this.changes.setPlan(asked));
  }

  @Serve(planOperations.remove)
  remove(asked: Request<'remove'>): Reply<'remove'> {
    return stored(this.changes.removePlan(asked));
  }
}
