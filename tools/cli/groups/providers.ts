import { providersCheck } from '../commands/providers-check';
import { providersList, providersSet, providersKey, providersRemove, providersReseal } from '../commands/providers-set';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [
  providersCheck,
  providersList,
  providersSet,
  providersKey,
  providersRemove,
  providersReseal,
];
