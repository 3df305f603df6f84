import { Inject, Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { Database } from '@tollgate/database';
import { DATABASE } from '../settings';
import { LiveCatalog } from '../live-catalog';

/** Switches models off and on again, for operators. */
@Injectable()
export class ModelSwitch {
  constructor(
    @Inject(DATABASE) private readonly database: Pick<Database<'catalog'>, 'disabledModel' | 'approvedModel'>,
    @Inject(LiveCatalog) private readonly catalog: Pick<LiveCatalog, 'kindOf' | 'look'>,
  ) {}

  /**
   * Takes effect at once; edges hear of it within a second.
   * @throws ControlError `not_found` for a model that the catalog does not have.
   */
  async set(model: string, enabled: boolean): Promise<void> {
    const kind = this.catalog.kindOf(model);
    if (!kind) throw new ControlError('not_found', `The catalog has no model ${model}.`);
    const { disabledModel, approvedModel } = this.database;
    if (enabled) await disabledModel.deleteMany({ where: { model } });
    else await disabledModel.createMany({ data: [{ model }], skipDuplicates: true });
    if (enabled && kind === 'discovered') await approvedModel.createMany({ data: [{ model }], skipDuplicates: true });
    await this.catalog.look();
  }
}
