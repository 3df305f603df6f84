import { accountsApprove } from '../commands/accounts-approve';
import { accountsDecline } from '../commands/accounts-decline';
import { accountsList } from '../commands/accounts-list';
import { accountsRequest } from '../commands/accounts-request';
import { accountsSuspend } from '../commands/accounts-suspend';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [
  accountsRequest,
  accountsApprove,
  accountsSuspend,
  accountsDecline,
  accountsList,
];
