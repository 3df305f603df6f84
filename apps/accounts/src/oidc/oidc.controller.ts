import { Controller } from '@nestjs/common';
import { peopleOperations } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import type { Reply, Request } from '../operations';
import { OidcSignIn } from './oidc-sign-in';

/** The operations of signing in with an OpenID provider. */
@Controller()
export class OidcController {
  constructor(private readonly oidc: OidcSignIn) {}

  @Serve(peopleOperations.oidcBegin)
  begin(): Promise<Reply<'oidcBegin'>> {
    return this.oidc.begin();
  }

  @Serve(peopleOperations.oidcFinish)
  finish(request: Request<'oidcFinish'>): Promise<Reply<'oidcFinish'>> {
    return this.oidc.finish(request);
  }
}
