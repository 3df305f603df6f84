import { plansList, plansSet, plansRemove } from '../commands/plans';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [plansList, plansSet, plansRemove];
