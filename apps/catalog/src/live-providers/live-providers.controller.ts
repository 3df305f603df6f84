import { Controller } from '@nestjs/common';
import { liveProviderOperations, sealingOperations } from '@tollgate/contracts';
import type { ServedBy } from '@tollgate/contracts';
import { ControlClient, Serve } from '@tollgate/messaging';
import { known, stored } from '../operator/stored';
import { LiveProviders } from './live-providers';

type Served = ServedBy<typeof liveProviderOperations>;

/** Providers, and keys of providers, that administrators set without the file. */
@Controller()
export class LiveProvidersController {
  constructor(
    private readonly providers: LiveProviders,
    private readonly control: ControlClient,
  ) {}

  @Serve(liveProviderOperations.list)
  list(_asked: Served['list']['request']): Promise<Served['list']['reply']> {
    return known(this.providers.list());
  }

  @Serve(liveProviderOperations.set)
  set(asked: Served['set']['request']): Promise<Served['set']['reply']> {
    return stored(this.providers.set(asked));
  }

  @Serve(liveProviderOperations.remove)
  remove(asked: Served['remove']['request']): Promise<Served['remove']['reply']> {
    return stored(this.providers.remove(asked));
  }

  @Serve(liveProviderOperations.sealingFor)
  sealingFor({ provider }: Served['sealingFor']['request']): Promise<Served['sealingFor']['reply']> {
    return known(this.providers.sealingFor(provider));
  }

  @Serve(liveProviderOperations.setKey)
  setKey(asked: Served['setKey']['request']): Promise<Served['setKey']['reply']> {
    return stored(this.providers.setKey(asked));
  }

  @Serve(liveProviderOperations.removeKey)
  removeKey(asked: Served['removeKey']['request']): Promise<Served['removeKey']['reply']> {
    return stored(this.providers.removeKey(asked));
  }

  @Serve(liveProviderOperations.reseal)
  reseal(_asked: Served['reseal']['request']): Promise<Served['reseal']['reply']> {
    const again = ({ provider, name, baseUrl, sealed }: Parameters<Parameters<LiveProviders['reseal']>[0]>[0]) =>
      this.control.call(sealingOperations.reseal, { provider, name, baseUrl, sealed }).then((reply) => reply.sealed);
    return stored(this.providers.reseal(again));
  }
}
