import { mailsList } from '../commands/mails-list';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [mailsList];
