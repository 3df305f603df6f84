import { ControlError } from '@tollgate/contracts';
import type { Database } from '@tollgate/database';
import type { OperatorChoices } from './operator-choices';

/** Switches models off and on again, for operators. */
export class ModelSwitch {
  constructor(
    private readonly database: Pick<Database<'catalog'>, 'disabledModel' | 'approvedModel'>,
    private readonly choices: OperatorChoices,
    /** What the catalog knows of it: its own, found in its provider's list alone, or nothing. */
    private readonly kindOf: (model: string) => 'own' | 'discovered' | null,
  ) {}

  /** Takes effect at once; edges hear of it within a second. @throws ControlError `not_found` for a model that the catalog does not have. */
  async set(model: string, enabled: boolean): Promise<void> {
    const kind = this.kindOf(model);
    if (!kind) throw new ControlError('not_found', `The catalog has no model ${model}.`);
    const { disabledModel, approvedModel } = this.database;
    if (enabled) await disabledModel.deleteMany({ where: { model } });
    else await disabledModel.createMany({ data: [{ model }], skipDuplicates: true });
    if (enabled && kind === 'discovered') await approvedModel.createMany({ data: [{ model }], skipDuplicates: true });
    await this.choices.look();
  }
}
