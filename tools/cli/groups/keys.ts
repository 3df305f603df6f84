import { keysCreate } from '../commands/keys-create';
import { keysLimits } from '../commands/keys-limits';
import { keysList } from '../commands/keys-list';
import { keysLogContent } from '../commands/keys-log-content';
import { keysMake } from '../commands/keys-make';
import { keysProject } from '../commands/keys-project';
import { keysRevoke } from '../commands/keys-revoke';
import { keysRotate } from '../commands/keys-rotate';
import { keysTags } from '../commands/keys-tags';
import { keysTellCost } from '../commands/keys-tell-cost';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [
  keysCreate,
  keysMake,
  keysList,
  keysLogContent,
  keysTags,
  keysProject,
  keysLimits,
  keysTellCost,
  keysRotate,
  keysRevoke,
];
