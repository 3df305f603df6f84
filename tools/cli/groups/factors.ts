import { factorsList, factorsSet, factorsRemove, factorsWithdraw, factorsHistory } from '../commands/factors';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [
  factorsList,
  factorsSet,
  factorsRemove,
  factorsWithdraw,
  factorsHistory,
];
