import { auditList } from '../commands/audit-list';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [auditList];
