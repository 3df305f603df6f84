import { Controller } from '@nestjs/common';
import { catalogOperations, inferenceOperations, providerOperations } from '@tollgate/contracts';
import { ControlClient, Serve } from '@tollgate/messaging';
import type { z } from 'zod';
import { DeploymentHolds } from './deployment-holds';
import { ModelSwitch } from './model-switch';
import { stored } from './stored';

/** A model may have to be loaded for its token. */
const inferenceTimeoutMs = 80_000;

type Operations = typeof catalogOperations & typeof providerOperations;
type Request<Name extends keyof Operations> = z.output<Operations[Name]['request']>;
type Reply<Name extends keyof Operations> = Promise<z.input<Operations[Name]['reply']>>;

/** What operators decide about models and deployments, and what they ask inference about providers. */
@Controller()
export class ModelsController {
  constructor(
    private readonly models: ModelSwitch,
    private readonly holds: DeploymentHolds,
    private readonly control: ControlClient,
  ) {}

  @Serve(catalogOperations.setModelEnabled)
  async setEnabled({ model, enabled }: Request<'setModelEnabled'>): Reply<'setModelEnabled'> {
    await stored(this.models.set(model, enabled));
    return { model, enabled };
  }

  @Serve(catalogOperations.holdDeployment)
  async hold(asked: Request<'holdDeployment'>): Reply<'holdDeployment'> {
    return { held: await stored(this.holds.set(asked)) };
  }

  @Serve(providerOperations.check)
  check(asked: Request<'check'>): Reply<'check'> {
    return this.control.call(inferenceOperations.checkProviders, asked, { timeoutMs: inferenceTimeoutMs });
  }

  @Serve(providerOperations.look)
  look(asked: Request<'look'>): Reply<'look'> {
    return this.control.call(inferenceOperations.lookForModels, asked, { timeoutMs: inferenceTimeoutMs });
  }
}
