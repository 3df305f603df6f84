import { modelsList } from '../commands/models-list';
import { modelsLook, modelsOn, modelsOff } from '../commands/models-offer';
import { modelsSet, modelsRemove } from '../commands/models-set';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [modelsList, modelsSet, modelsRemove, modelsLook, modelsOn, modelsOff];
