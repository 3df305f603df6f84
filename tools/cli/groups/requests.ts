import { requestsList } from '../commands/requests-list';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [requestsList];
