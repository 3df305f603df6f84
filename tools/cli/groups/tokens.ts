import { tokensCreate, tokensList, tokensRevoke } from '../commands/tokens';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [tokensCreate, tokensList, tokensRevoke];
