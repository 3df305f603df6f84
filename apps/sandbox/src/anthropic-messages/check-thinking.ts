import { limitIn, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';

const leastBudget = 1_024;

export function isThinking(thinking: unknown): boolean {
  return isRecord(thinking) && (thinking.type === 'enabled' || thinking.type === 'adaptive');
}

/**
 * What goes with extended thinking, and what does not.
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 * @throws Refusal
 */
export function checkThinking(body: Record<string, unknown>, maxTokens: number): void {
  const { thinking, temperature, top_p: topP, top_k: topK, tool_choice: choice } = body;
  if (!isRecord(thinking)) return;
  demand(
    ['disabled', 'between_tools', 'enabled', 'adaptive'].includes(textIn(thinking.type)),
    "thinking: Input tag does not match any of the expected tags: 'disabled', 'enabled', 'adaptive'",
  );
  if (!isThinking(thinking)) return;
  const { display = 'summarized' } = thinking;
  demand(
    display === 'summarized' || display === 'omitted',
    `thinking.${textIn(thinking.type)}.display: Input should be 'summarized' or 'omitted'`,
  );
  if (thinking.type === 'enabled') {
    const budget = limitIn(thinking.budget_tokens, 'thinking.enabled.budget_tokens');
    demand(budget !== null, 'thinking.enabled.budget_tokens: Field required');
    demand(
      budget >= leastBudget,
      `thinking.enabled.budget_tokens: Input should be greater than or equal to ${leastBudget}`,
    );
    demand(budget < maxTokens, '`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
  demand(
    temperature === undefined || temperature === 1,
    '`temperature` may only be set to 1 when thinking is enabled.',
  );
  demand(
    topP === undefined || (typeof topP === 'number' && topP >= 0.95),
    '`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.',
  );
  demand(topK === undefined, '`top_k` must be unset when thinking is enabled.');
  const isForced = isRecord(choice) && (choice.type === 'any' || choice.type === 'tool');
  demand(!isForced || thinking.type === 'adaptive', 'Thinking may not be enabled when tool_choice forces tool use.');
}
