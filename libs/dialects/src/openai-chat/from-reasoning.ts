import type { ReasoningSetting } from '../canonical/generation-request';
import type { RequestFields } from '../canonical/request-fields';
import { isRecord } from '../wire/json-value';

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/**
 * How much the model is to think: OpenAI's `reasoning_effort`, and beside it or in its place what clients of
 * other providers send in this format. `unread` takes what is none of it.
 * @throws GatewayError 400 naming the field.
 */
export function fromReasoning(fields: RequestFields, unread: string[]): ReasoningSetting | undefined {
  const effort = fields.choice('reasoning_effort', efforts);
  const named = effort === undefined ? undefined : ofEffort(effort);
  const setting = { ...fromThinking(fields, unread), ...fromUnified(fields, unread), ...named };
  return Object.keys(setting).length === 0 ? undefined : setting;
}

function ofEffort(effort: (typeof efforts)[number]): ReasoningSetting {
  return effort === 'none' ? { effort, off: true } : { effort };
}

/**
 * `thinking`, as Claude, DeepSeek, GLM and Kimi have it in chat completions:
 * https://platform.claude.com/docs/en/api/openai-sdk https://api-docs.deepseek.com/guides/thinking_mode
 * https://docs.z.ai/guides/capabilities/thinking-mode
 */
function fromThinking(fields: RequestFields, unread: string[]): ReasoningSetting | undefined {
  const thinking = fields.raw('thinking');
  if (thinking === undefined) return undefined;
  const { type, budget_tokens: budget }: Record<string, unknown> = isRecord(thinking) ? thinking : {};
  if (type === 'disabled') return { off: true };
  if (type === 'enabled' && isBudget(budget)) return { budgetTokens: budget };
  if (type === 'enabled' || type === 'adaptive') return { adaptive: true };
  unread.push('thinking');
  return undefined;
}

/**
 * `reasoning`, which OpenRouter has for every model:
 * https://openrouter.ai/docs/use-cases/reasoning-tokens#controlling-reasoning-tokens
 */
function fromUnified(fields: RequestFields, unread: string[]): ReasoningSetting | undefined {
  const reasoning = fields.raw('reasoning');
  if (reasoning === undefined) return undefined;
  const { effort, max_tokens: budget, enabled }: Record<string, unknown> = isRecord(reasoning) ? reasoning : {};
  const known = efforts.find((name) => name === effort);
  if (enabled === false) return { off: true };
  if (known !== undefined) return ofEffort(known);
  if (isBudget(budget)) return { budgetTokens: budget };
  if (enabled === true) return { adaptive: true };
  unread.push('reasoning');
  return undefined;
}

function isBudget(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
