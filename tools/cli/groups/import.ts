import { importBifrost } from '../commands/import-bifrost';
import { importLitellm } from '../commands/import-litellm';
import { importOpenaiCompatible } from '../commands/import-openai-compatible';
import { importOpenrouter } from '../commands/import-openrouter';
import { importPortkey } from '../commands/import-portkey';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [
  importLitellm,
  importPortkey,
  importBifrost,
  importOpenrouter,
  importOpenaiCompatible,
];
