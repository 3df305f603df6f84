import type { ToolChoice } from '../canonical/generation-request';
import type { ModelFacts } from './model-facts';

/**
 * `isForced`: the model must call a tool. `demand`: what it is told in place of a force that it refuses, else
 * null.
 */
export interface WantedTools {
  choice: ToolChoice | undefined;
  isForced: boolean;
  demand: string | null;
}

/**
 * The wish for a tool as the model takes it. A force that it refuses becomes words, and `warnings` says so.
 */
export function wantedTools(choice: ToolChoice | undefined, facts: ModelFacts, warnings: string[]): WantedTools {
  const isForced = choice?.type === 'required' || choice?.type === 'tool' || choice?.type === 'web-search';
  if (!isForced || !facts.refusesForce) return { choice, isForced, demand: null };
  warnings.push('tool_choice became an instruction: this model chooses its tools itself, and may answer without one');
  return { choice: { type: 'auto' }, isForced: false, demand: `Answer by calling ${named(choice)}.` };
}

function named(choice: ToolChoice): string {
  if (choice.type === 'web-search') return 'the tool web_search';
  return choice.type === 'tool' ? `the tool ${choice.name}` : 'one of the tools';
}
