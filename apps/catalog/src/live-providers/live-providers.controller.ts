import { Controller } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { ServedBy } from '@tollgate/contracts';
import { ownKeySealingOperations } from '@tollgate/contracts/accounts';
import { liveProviderOperations, sealingOperations } from '@tollgate/contracts/catalog';
import { ControlClient, Serve } from '@tollgate/messaging';
import { known, stored } from '../operator/stored';
import { LiveProviders, type ResealedOwn } from './live-providers';

type Served = ServedBy<typeof liveProviderOperations>;
type ServedOwn = ServedBy<typeof ownKeySealingOperations>;
type Former = ServedOwn['former']['reply'];
type Place = Former['next'];
type Kept = ServedOwn['keep']['request']['keys'][number];

/** Nobody waits for who is not there; each answer is of a few keys. */
const patience = { timeoutMs: 5_000, absentMs: 0 };

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
    return stored(this.providers.reseal(again, (sealing) => this.resealOwn(sealing)));
  }

  /** What was done before accounts or inference could not be asked stays done, and is told. */
  private async resealOwn(sealing: string): Promise<ResealedOwn> {
    const all: ResealedOwn = { resealed: 0, failed: [] };
    try {
      await this.resealPages(sealing, all);
    } catch (error) {
      if (!(error instanceof ControlError) || error.code !== 'unavailable') throw error;
      all.unseen = true;
    }
    return all;
  }

  /** Page by page, since there may be thousands. @throws ControlError `unavailable` while accounts is away. */
  private async resealPages(sealing: string, all: ResealedOwn): Promise<void> {
    let after: Place = null;
    do {
      const page: Former = await this.control.call(
        ownKeySealingOperations.former,
        { sealing, after, projects: true },
        patience,
      );
      const again = await Promise.all(page.keys.map((key) => this.sealedAgain(key, sealing)));
      const keys = again.flatMap((key) => key ?? []);
      if (keys.length > 0)
        all.resealed += (await this.control.call(ownKeySealingOperations.keep, { keys }, patience)).kept;
      all.failed.push(
        ...page.keys
          .filter((_, at) => !again[at])
          .map(({ account, provider, project }) => ({ account, provider, ...(project && { project }) })),
      );
      after = page.next;
    } while (after !== null);
  }

  /** Null: no inference instance could open it. */
  private async sealedAgain({ account: _, ...key }: Former['keys'][number], sealing: string): Promise<Kept | null> {
    const { sealed } = await this.control.call(sealingOperations.resealOwn, key, patience);
    const { accountId, provider, project = '', sealed: before } = key;
    return sealed?.startsWith(`${sealing}.`) ? { accountId, provider, project, before, sealed } : null;
  }
}
