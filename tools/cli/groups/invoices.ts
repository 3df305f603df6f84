import { invoicesImport } from '../commands/invoices-import';
import { invoicesRequests } from '../commands/invoices-requests';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [invoicesImport, invoicesRequests];
