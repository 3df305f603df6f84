import { ControlError } from '@tollgate/contracts';
import type { Database } from '@tollgate/database';
import type { OperatorChoices } from './operator-choices';

/** Switches models off and on again, for operators. */
export class ModelSwitch {
  constructor(
    private readonly database: Pick<Database<'catalog'>, 'disabledModel'>,
    private readonly choices: OperatorChoices,
    private readonly has: (model: string) => boolean,
  ) {}

  /** Takes effect at once; edges hear of it within a second. @throws ControlError `not_found` for a model that the catalog does not have. */
  async set(model: string, enabled: boolean): Promise<void> {
    if (!this.has(model)) throw new ControlError('not_found', `The catalog has no model ${model}.`);
    if (enabled) await this.database.disabledModel.deleteMany({ where: { model } });
    else await this.database.disabledModel.createMany({ data: [{ model }], skipDuplicates: true });
    await this.choices.look();
  }
}
