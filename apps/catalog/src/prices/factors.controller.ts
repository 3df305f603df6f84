import { Controller } from '@nestjs/common';
import type { ServedBy } from '@tollgate/contracts';
import { setFactorOperations } from '@tollgate/contracts/catalog';
import { Serve } from '@tollgate/messaging';
import { known, stored } from '../operator/stored';
import { FactorSetting } from './factor-setting';

type Served = ServedBy<typeof setFactorOperations>;

/** Discounts and markups of deployments that administrators set without the file. */
@Controller()
export class FactorsController {
  constructor(private readonly setting: FactorSetting) {}

  @Serve(setFactorOperations.set)
  set(asked: Served['set']['request']): Promise<Served['set']['reply']> {
    return stored(this.setting.set(asked));
  }

  @Serve(setFactorOperations.withdraw)
  withdraw(asked: Served['withdraw']['request']): Promise<Served['withdraw']['reply']> {
    return stored(this.setting.withdraw(asked));
  }

  @Serve(setFactorOperations.list)
  list(_asked: Served['list']['request']): Promise<Served['list']['reply']> {
    return known(this.setting.list());
  }

  @Serve(setFactorOperations.history)
  tell(asked: Served['history']['request']): Promise<Served['history']['reply']> {
    return known(this.setting.history(asked));
  }
}
