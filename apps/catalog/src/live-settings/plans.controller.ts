import { Controller } from '@nestjs/common';
import { readableSettings } from '@tollgate/configuration';
import { ControlError, planOperations } from '@tollgate/contracts';
import type { ServedBy } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import { noSettings } from '../operator/operator-choices';
import { known, stored } from '../operator/stored';
import { SettingsChanges } from './settings-changes';
import { SettingsHistory } from './settings-history';

type Served = ServedBy<typeof planOperations>;

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
  async list(_asked: Served['list']['request']): Promise<Served['list']['reply']> {
    const { version, document } = (await known(this.history.newest())) ?? noSettings;
    const { settings, unreadable } = readableSettings(document);
    if (unreadable.some(({ section, id }) => id === null && (section === 'plans' || section === 'guardrails')))
      throw new ControlError('unavailable', `This release cannot read the settings of version ${version}.`);
    const names = unreadable.flatMap(({ section, id }) => (section === 'plans' && id !== null ? [id] : []));
    return { version, plans: settings.plans, unreadable: names };
  }

  @Serve(planOperations.set)
  set(asked: Served['set']['request']): Promise<Served['set']['reply']> {
    return stored(this.changes.setPlan(asked));
  }

  @Serve(planOperations.remove)
  remove(asked: Served['remove']['request']): Promise<Served['remove']['reply']> {
    return stored(this.changes.removePlan(asked));
  }
}
