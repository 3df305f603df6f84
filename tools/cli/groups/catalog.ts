import { catalogCompare } from '../commands/catalog-compare';
import { catalogUpdate } from '../commands/catalog-update';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [catalogCompare, catalogUpdate];
