import { logsDelete } from '../commands/logs-delete';
import { logsShow } from '../commands/logs-show';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [logsShow, logsDelete];
