import { Controller } from '@nestjs/common';
import { administrationOperations } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import type { Reply, Request } from '../operations';
import { AccountSearch } from './account-search';
import { ActRecording } from './act-recording';
import { AuditListing } from './audit-listing';

/** What only administrators ask. */
@Controller()
export class AdministrationController {
  constructor(
    private readonly accounts: AccountSearch,
    private readonly audit: AuditListing,
    private readonly acts: ActRecording,
  ) {}

  @Serve(administrationOperations.searchAccounts)
  searchAccounts(request: Request<'searchAccounts'>): Promise<Reply<'searchAccounts'>> {
    return this.accounts.search(request);
  }

  @Serve(administrationOperations.recordAct)
  recordAct(request: Request<'recordAct'>): Promise<Reply<'recordAct'>> {
    return this.acts.record(request);
  }

  @Serve(administrationOperations.listAudit)
  listAudit(request: Request<'listAudit'>): Promise<Reply<'listAudit'>> {
    return this.audit.list(request);
  }
}
