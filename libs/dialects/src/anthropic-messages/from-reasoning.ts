import type { CanonicalRequest, ReasoningSetting, ResponseFormat } from '../canonical/generation-request';
import { RequestFields, invalid } from '../canonical/request-fields';
import { isRecord } from '../wire/json-value';

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
type Effort = (typeof efforts)[number];

/**
 * Reads `thinking` and `output_config`, with what `said` changes of it.
 * https://platform.claude.com/docs/en/build-with-claude/thinking
 * https://platform.claude.com/docs/en/build-with-claude/effort
 */
export function fromReasoning(
  fields: RequestFields,
  said: readonly unknown[],
  unread: string[],
): Pick<CanonicalRequest, 'reasoning' | 'responseFormat'> {
  const config = fields.nested('output_config');
  const effort = effortAtEnd(said, config?.choice('effort', efforts));
  // The beta's name for `output_config.format`, which still works:
  // https://platform.claude.com/docs/en/build-with-claude/structured-outputs
  const format = config?.nested('format') ?? fields.nested('output_format');
  const reasoning = { ...fromThinking(fields.nested('thinking'), unread), ...(effort === undefined ? {} : { effort }) };
  const responseFormat = format === undefined ? undefined : fromFormat(format, unread);
  config?.finish(unread);
  return {
    ...(Object.keys(reasoning).length === 0 ? {} : { reasoning }),
    ...(responseFormat === undefined ? {} : { responseFormat }),
  };
}

/**
 * The effort of the answer: system messages behind what a user said change it for the answer to that,
 * elsewhere from the next thing on that a user says.
 * https://platform.claude.com/docs/en/build-with-claude/effort-per-message
 */
function effortAtEnd(said: readonly unknown[], first: Effort | undefined): Effort | undefined {
  let current = first;
  let next = first;
  let isAfterUser = false;
  for (const [i, message] of said.entries()) {
    const fields = RequestFields.of(message, `messages[${i}]`);
    const role = fields.raw('role');
    if (role === 'system') {
      next = fields.nested('output_config')?.choice('effort', efforts) ?? next;
      if (isAfterUser) current = next;
      continue;
    }
    isAfterUser = role === 'user' && isNewInput(fields.raw('content'));
    if (isAfterUser) current = next;
  }
  return current;
}

/** The results of tools are none. */
function isNewInput(content: unknown): boolean {
  return !Array.isArray(content) || content.some((block) => !isRecord(block) || block.type !== 'tool_result');
}

function fromThinking(thinking: RequestFields | undefined, unread: string[]): ReasoningSetting {
  if (thinking === undefined) return {};
  const setting = thinkingMode(thinking);
  const display = thinking.choice('display', ['summarized', 'omitted']);
  thinking.finish(unread);
  if (display === undefined) return setting;
  return { ...setting, summary: display === 'omitted' ? 'none' : 'auto' };
}

function thinkingMode(thinking: RequestFields): ReasoningSetting {
  switch (thinking.requiredText('type')) {
    case 'enabled': {
      const budgetTokens = thinking.integer('budget_tokens');
      if (budgetTokens === undefined || budgetTokens < 1_024)
        throw invalid(thinking.path('budget_tokens'), 'must be an integer of at least 1024');
      return { budgetTokens };
    }
    case 'adaptive':
      return { adaptive: true };
    // Between tools is the least that some models can think, and what they have in the place of `disabled`.
    case 'between_tools':
    case 'disabled':
      return { off: true };
    default:
      throw invalid(thinking.path('type'), 'must be one of enabled, adaptive, disabled, between_tools');
  }
}

/** The dialect has no name for a schema; other dialects need one. */
function fromFormat(format: RequestFields, unread: string[]): ResponseFormat {
  const type = format.requiredText('type');
  if (type !== 'json_schema') throw invalid(format.path('type'), 'must be json_schema');
  const schema = format.object('schema');
  if (schema === undefined) throw invalid(format.path('schema'), 'is required and must be an object');
  format.finish(unread);
  return { type: 'json-schema', name: 'answer', schema, strict: true };
}
