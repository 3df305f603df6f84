import { Controller } from '@nestjs/common';
import type { ServedBy } from '@tollgate/contracts';
import { sealingOperations } from '@tollgate/contracts/catalog';
import { Serve } from '@tollgate/messaging';
import { InferenceSettings } from '../settings';

type Served = ServedBy<typeof sealingOperations>;

/** Seals keys of providers anew, when the key-encryption key is another one. Tells no key. */
@Controller()
export class SealedKeysController {
  constructor(private readonly settings: InferenceSettings) {}

  @Serve(sealingOperations.reseal)
  reseal({ provider: id, name, baseUrl, sealed }: Served['reseal']['request']): Served['reseal']['reply'] {
    return { sealed: this.settings.ring.reseal({ id, baseUrl }, name, sealed) };
  }

  @Serve(sealingOperations.resealOwn)
  resealOwn(asked: Served['resealOwn']['request']): Served['resealOwn']['reply'] {
    const { accountId, provider: id, baseUrl, sealed } = asked;
    return { sealed: this.settings.ring.resealOwn(accountId, { id, baseUrl }, sealed) };
  }
}
