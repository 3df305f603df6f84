import type { ReasoningSetting } from '../canonical/generation-request';
import type { RequestFields } from '../canonical/request-fields';
import { isRecord } from '../wire/json-value';

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
const summaries = ['auto', 'concise', 'detailed'] as const;

/** What an object tells of reasoning, and the names of the members that told it. */
interface Told {
  setting: ReasoningSetting;
  by: string[];
}

/**
 * How much the model is to think: OpenAI's `reasoning_effort`, and beside it or in its place what clients of
 * other providers send in this format. `unread` takes what is none of it.
 * @throws GatewayError 400 where `reasoning_effort` is none.
 */
export function fromReasoning(fields: RequestFields, unread: string[]): ReasoningSetting | undefined {
  const effort = fields.choice('reasoning_effort', efforts);
  const setting = {
    ...fromObject('thinking', fields, thinkingOf, unread),
    ...fromObject('reasoning', fields, unifiedOf, unread),
    ...(effort !== undefined && ofEffort(effort)),
  };
  return Object.keys(setting).length === 0 ? undefined : setting;
}

function ofEffort(effort: (typeof efforts)[number]): ReasoningSetting {
  return effort === 'none' ? { effort, off: true } : { effort };
}

/** What the object in a field tells; null stands for absent in it, too. */
function fromObject(
  name: string,
  fields: RequestFields,
  read: (members: Record<string, unknown>) => Told | null,
  unread: string[],
): ReasoningSetting | undefined {
  const value = fields.raw(name);
  if (value === undefined) return undefined;
  const said = isRecord(value) ? Object.keys(value).filter((member) => value[member] !== null) : null;
  const told = isRecord(value) ? read(value) : null;
  if (told) unread.push(...(said ?? []).filter((member) => !told.by.includes(member)).map((left) => `${name}.${left}`));
  else if (said?.length !== 0) unread.push(name);
  return told?.setting;
}

/**
 * `thinking`, as Claude, DeepSeek, GLM and Kimi have it in chat completions:
 * https://platform.claude.com/docs/en/api/openai-sdk https://api-docs.deepseek.com/guides/thinking_mode
 * https://docs.z.ai/guides/capabilities/thinking-mode
 */
function thinkingOf({ type, budget_tokens: budget }: Record<string, unknown>): Told | null {
  if (type === 'disabled') return { setting: { off: true }, by: ['type'] };
  if (type === 'enabled' && isBudget(budget))
    return { setting: { budgetTokens: budget }, by: ['type', 'budget_tokens'] };
  return type === 'enabled' || type === 'adaptive' ? { setting: { adaptive: true }, by: ['type'] } : null;
}

/**
 * `reasoning`, which OpenRouter has for every model, with an effort or a budget, and how much of it the
 * caller wants to read:
 * https://openrouter.ai/docs/use-cases/reasoning-tokens#controlling-reasoning-tokens
 * https://openrouter.ai/docs/client-sdks/typescript/models/reasoningsummaryverbosity
 */
function unifiedOf(members: Record<string, unknown>): Told | null {
  const amount = amountOf(members);
  const summary = summaries.find((name) => name === members.summary);
  const isHidden = amount?.setting.off === true || members.exclude === true;
  if (summary === undefined || isHidden) return amount;
  return { setting: { ...amount?.setting, summary }, by: [...(amount?.by ?? []), 'summary'] };
}

function amountOf({ effort, max_tokens: budget, enabled, exclude }: Record<string, unknown>): Told | null {
  const known = efforts.find((name) => name === effort);
  // What is not to be left out of the answer is not in any case.
  const by = exclude === false ? ['enabled', 'exclude'] : ['enabled'];
  if (enabled === false) return { setting: { off: true }, by };
  if (known !== undefined) return { setting: ofEffort(known), by: [...by, 'effort'] };
  if (isBudget(budget)) return { setting: { budgetTokens: budget }, by: [...by, 'max_tokens'] };
  return enabled === true ? { setting: { adaptive: true }, by } : null;
}

function isBudget(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
