import { guardrailsList, guardrailsSet, guardrailsRemove, guardrailsTry } from '../commands/guardrails';
import type { MakeCommand } from '../gateway';

export const commands: readonly MakeCommand[] = [guardrailsList, guardrailsSet, guardrailsRemove, guardrailsTry];
