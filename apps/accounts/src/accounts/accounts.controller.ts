import { Controller } from '@nestjs/common';
import { accountsOperations } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import type { Reply, Request } from '../operations';
import { AccessRequests } from './access-requests';
import { AccountListing } from './account-listing';
import { AccountStatus } from './account-status';

/** The operations on accounts. */
@Controller()
export class AccountsController {
  constructor(
    private readonly accessRequests: AccessRequests,
    private readonly status: AccountStatus,
    private readonly listing: AccountListing,
  ) {}

  @Serve(accountsOperations.requestAccess)
  request(request: Request<'requestAccess'>): Promise<Reply<'requestAccess'>> {
    return this.accessRequests.request(request);
  }

  @Serve(accountsOperations.setAccountStatus)
  setStatus(request: Request<'setAccountStatus'>): Promise<Reply<'setAccountStatus'>> {
    return this.status.set(request);
  }

  @Serve(accountsOperations.listAccounts)
  list(request: Request<'listAccounts'>): Promise<Reply<'listAccounts'>> {
    return this.listing.list(request);
  }
}
