import { Controller } from '@nestjs/common';
import { liveProviderOperations, sealingOperations } from '@tollgate/contracts';
import { ControlClient, Serve } from '@tollgate/messaging';
import type { z } from 'zod';
import { known, stored } from '../operator/stored';
import { LiveProviders } from './live-providers';

type Operations = typeof liveProviderOperations;
type Request<Name extends keyof Operations> = z.output<Operations[Name]['request']>;
type Reply<Name extends keyof Operations> = Promise<z.input<Operations[Name]['reply']>>;

/** Providers, and keys of providers, that administrators set without the file. */
@Controller()
export class LiveProvidersController {
  constructor(
    private readonly providers: LiveProviders,
    private readonly control: ControlClient,
  ) {}

  @Serve(liveProviderOperations.list)
  list(_asked: Request<'list'>): Reply<'list'> {
    return known(this.providers.list());
  }

  @Serve(liveProviderOperations.set)
  set(asked: Request<'set'>): Reply<'set'> {
    return stored(this.providers.set(asked));
  }

  @Serve(liveProviderOperations.remove)
  remove(asked: Request<'remove'>): Reply<'remove'> {
    return stored(this.providers.remove(asked));
  }

  @Serve(liveProviderOperations.sealingFor)
  sealingFor({ provider }: Request<'sealingFor'>): Reply<'sealingFor'> {
    return known(this.providers.sealingFor(provider));
  }

  @Serve(liveProviderOperations.setKey)
  setKey(asked: Request<'setKey'>): Reply<'setKey'> {
    return stored(this.providers.setKey(asked));
  }

  @Serve(liveProviderOperations.removeKey)
  removeKey(asked: Request<'removeKey'>): Reply<'removeKey'> {
    return stored(this.providers.removeKey(asked));
  }

  @Serve(liveProviderOperations.reseal)
  reseal(_asked: Request<'reseal'>): Reply<'reseal'> {
    const again = ({ provider, name, baseUrl, sealed }: Parameters<Parameters<LiveProviders['reseal']>[0]>[0]) =>
      this.control.call(sealingOperations.reseal, { provider, name, baseUrl, sealed }).then((reply) => reply.sealed);
    return stored(this.providers.reseal(again));
  }
}
