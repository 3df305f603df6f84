import { Controller } from '@nestjs/common';
import { accountsOperations } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import type { Reply, Request } from '../operations';
import { KeyCreation } from './key-creation';
import { KeyListing } from './key-listing';
import { KeyLookup } from './key-lookup';
import { KeyRevocation } from './key-revocation';
import { KeyRotation } from './key-rotation';
import { KeyUpdate } from './key-update';

/** The operations on API keys. */
@Controller()
export class KeysController {
  constructor(
    private readonly lookup: KeyLookup,
    private readonly creation: KeyCreation,
    private readonly rotation: KeyRotation,
    private readonly revocation: KeyRevocation,
    private readonly update: KeyUpdate,
    private readonly listing: KeyListing,
  ) {}

  @Serve(accountsOperations.resolveKey)
  resolve(request: Request<'resolveKey'>): Promise<Reply<'resolveKey'>> {
    return this.lookup.resolve(request);
  }

  @Serve(accountsOperations.createKey)
  create(request: Request<'createKey'>): Promise<Reply<'createKey'>> {
    return this.creation.create(request);
  }

  @Serve(accountsOperations.rotateKey)
  rotate(request: Request<'rotateKey'>): Promise<Reply<'rotateKey'>> {
    return this.rotation.rotate(request);
  }

  @Serve(accountsOperations.revokeKey)
  revoke(request: Request<'revokeKey'>): Promise<Reply<'revokeKey'>> {
    return this.revocation.revoke(request);
  }

  @Serve(accountsOperations.updateKey)
  change(request: Request<'updateKey'>): Promise<Reply<'updateKey'>> {
    return this.update.update(request);
  }

  @Serve(accountsOperations.keyDigest)
  digest(request: Request<'keyDigest'>): Promise<Reply<'keyDigest'>> {
    return this.lookup.digest(request);
  }

  @Serve(accountsOperations.listKeys)
  list(request: Request<'listKeys'>): Promise<Reply<'listKeys'>> {
    return this.listing.list(request);
  }
}
