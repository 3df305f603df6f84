import { Controller } from '@nestjs/common';
import type { ServedBy } from '@tollgate/contracts';
import { setModelOperations } from '@tollgate/contracts/catalog';
import { Serve } from '@tollgate/messaging';
import { known, stored } from '../operator/stored';
import { SettingsEntries } from './settings-entries';

type Served = ServedBy<typeof setModelOperations>;

/** Models, deployments and fallbacks that administrators set without the file. */
@Controller()
export class SetModelsController {
  constructor(private readonly entries: SettingsEntries) {}

  @Serve(setModelOperations.list)
  async list(_asked: Served['list']['request']): Promise<Served['list']['reply']> {
    const { version, entries } = await known(this.entries.list('models', ({ models }) => models));
    return { version, models: entries.map(({ id, ...entry }) => ({ model: id, ...entry })) };
  }

  @Serve(setModelOperations.set)
  set(asked: Served['set']['request']): Promise<Served['set']['reply']> {
    const { model, version, mustBeNew, unset, reason, by, ...fields } = asked;
    const unsaid = Object.fromEntries(unset.map((field) => [field, null]));
    return stored(this.entries.set('models', { id: model, version, mustBeNew, reason, by }, { ...fields, ...unsaid }));
  }

  @Serve(setModelOperations.remove)
  remove({ model, ...change }: Served['remove']['request']): Promise<Served['remove']['reply']> {
    return stored(this.entries.remove('models', { id: model, ...change }));
  }
}
