import { budgetsCreate, budgetsChange, budgetsRemove, budgetsList, budgetsShow } from '../commands/budgets';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [budgetsCreate, budgetsChange, budgetsRemove, budgetsList, budgetsShow];
