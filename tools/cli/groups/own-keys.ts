import { ownKeysList, ownKeysSet, ownKeysFallBack, ownKeysRemove } from '../commands/own-keys';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [ownKeysList, ownKeysSet, ownKeysFallBack, ownKeysRemove];
