import {
  peopleList,
  peopleInvite,
  peopleWithdraw,
  peopleRole,
  peopleRemove,
  peopleResetSecondFactor,
} from '../commands/people';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [
  peopleList,
  peopleInvite,
  peopleWithdraw,
  peopleRole,
  peopleRemove,
  peopleResetSecondFactor,
];
