import { Controller } from '@nestjs/common';
import { readableSettings } from '@tollgate/configuration';
import { ControlError } from '@tollgate/contracts';
import type { ServedBy } from '@tollgate/contracts';
import { planOperations } from '@tollgate/contracts/catalog';
import { Serve } from '@tollgate/messaging';
import { noSettings } from '../operator/operator-choices';
import { known, stored } from '../operator/stored';
import { SettingsChanges } from './settings-changes';
import { SettingsHistory } from './settings-history';

type Served = ServedBy<typeof planOperations>;
/** Null: it cannot be said which there are. */
type SaidPlans = Omit<Served['list']['reply'], 'version'> | null;

/** The plans of a document in which nothing is. */
const nothingSaid: SaidPlans = { plans: {}, unreadable: [] };

/** Plans that administrators set without the file. Accounts puts them in force. */
@Controller()
export class PlansController {
  /** What the document says that was read last: accounts asks every two seconds. */
  private lastRead: { document: string; plans: SaidPlans } = { document: noSettings.document, plans: nothingSaid };

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
    if (document !== this.lastRead.document) this.lastRead = { document, plans: plansOf(document) };
    const { plans } = this.lastRead;
    if (!plans) throw new ControlError('unavailable', `This release cannot read the settings of version ${version}.`);
    return { version, ...plans };
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

function plansOf(document: string): SaidPlans {
  const { settings, unreadable } = readableSettings(document);
  if (unreadable.some(({ section, id }) => id === null && (section === 'plans' || section === 'guardrails')))
    return null;
  const names = unreadable.flatMap(({ section, id }) => (section === 'plans' && id !== null ? [id] : []));
  return { plans: settings.plans, unreadable: names };
}
