import { configShow, configExport, configDiff, configApply, configHistory, configRollback } from '../commands/config';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [
  configShow,
  configExport,
  configDiff,
  configApply,
  configHistory,
  configRollback,
];
