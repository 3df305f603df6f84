import { Controller } from '@nestjs/common';
import type { ServedBy } from '@tollgate/contracts';
import { catalogOperations } from '@tollgate/contracts/catalog';
import { inferenceOperations, providerOperations } from '@tollgate/contracts/inference';
import { ControlClient, Serve } from '@tollgate/messaging';
import { DeploymentHolds } from './deployment-holds';
import { ModelSwitch } from './model-switch';
import { stored } from './stored';

/** A model may have to be loaded for its token. */
const inferenceTimeoutMs = 80_000;

type Served = ServedBy<typeof catalogOperations & typeof providerOperations>;

/** What operators decide about models and deployments, and what they ask inference about providers. */
@Controller()
export class ModelsController {
  constructor(
    private readonly models: ModelSwitch,
    private readonly holds: DeploymentHolds,
    private readonly control: ControlClient,
  ) {}

  @Serve(catalogOperations.setModelEnabled)
  async setEnabled({
    model,
    enabled,
  }: Served['setModelEnabled']['request']): Promise<Served['setModelEnabled']['reply']> {
    await stored(this.models.set(model, enabled));
    return { model, enabled };
  }

  @Serve(catalogOperations.holdDeployment)
  async hold(asked: Served['holdDeployment']['request']): Promise<Served['holdDeployment']['reply']> {
    return { held: await stored(this.holds.set(asked)) };
  }

  @Serve(providerOperations.check)
  check(asked: Served['check']['request']): Promise<Served['check']['reply']> {
    return this.control.call(inferenceOperations.checkProviders, asked, { timeoutMs: inferenceTimeoutMs });
  }

  @Serve(providerOperations.look)
  look(asked: Served['look']['request']): Promise<Served['look']['reply']> {
    return this.control.call(inferenceOperations.lookForModels, asked, { timeoutMs: inferenceTimeoutMs });
  }
}
