import { Controller } from '@nestjs/common';
import { setModelOperations, type ServedBy } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import { known, stored } from '../operator/stored';
import { SetModels } from './set-models';

type Served = ServedBy<typeof setModelOperations>;

/** Models, deployments and fallbacks that administrators set without the file. */
@Controller()
export class SetModelsController {
  constructor(private readonly models: SetModels) {}

  @Serve(setModelOperations.list)
  list(_asked: Served['list']['request']): Promise<Served['list']['reply']> {
    return known(this.models.list());
  }

  @Serve(setModelOperations.set)
  set(asked: Served['set']['request']): Promise<Served['set']['reply']> {
    return stored(this.models.set(asked));
  }

  @Serve(setModelOperations.remove)
  remove(asked: Served['remove']['request']): Promise<Served['remove']['reply']> {
    return stored(this.models.remove(asked));
  }
}
