import { usageDrain } from '../commands/usage-drain';
import { usageExplain } from '../commands/usage-explain';
import { usageExport } from '../commands/usage-export';
import { usageRecount } from '../commands/usage-recount';
import { usageReplay } from '../commands/usage-replay';
import { usageSweep } from '../commands/usage-sweep';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [
  usageRecount,
  usageExplain,
  usageExport,
  usageReplay,
  usageDrain,
  usageSweep,
];
