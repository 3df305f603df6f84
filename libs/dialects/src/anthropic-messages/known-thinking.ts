import type { UpstreamTarget } from '../provider-dialect';
import { holdsText } from '../wire/holds-text';
import { asBuffer } from '../wire/json-cursor';
import { isRecord, recordIn } from '../wire/json-value';
import { parseRequestJson, withoutBom } from '../wire/request-json';
import { inJson, membersOf, spliceObject } from '../wire/splice-object';
import { factsOf, isClaude } from './model-facts';
import { budgetOf } from '../canonical/reasoning-effort';

/** https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
const leastBudget = 1_024;

interface KnownThinking {
  body: Uint8Array;
  warnings: string[];
}

/**
 * A native request in which the model of an older form can think: agents ask every model whose name they do
 * not know for adaptive thinking and an effort, which those before Claude 4.6 refuse.
 * https://code.claude.com/docs/en/llm-gateway-protocol https://github.com/mnfst/llm-gateway/pull/1928 The
 * very same bytes for every other model, that of another maker or of an operator's server included, and where
 * it is not asked for.
 */
export function withKnownThinking(body: Uint8Array, target: UpstreamTarget): KnownThinking {
  const unchanged = { body, warnings: [] };
  if (!isClaude(target.upstreamModel)) return unchanged;
  const { thinking, efforts } = factsOf(target);
  if ((thinking !== 'none' && thinking !== 'budget') || !holdsText(asBuffer(body), '"adaptive"')) return unchanged;
  const asked = parseRequestJson(body);
  if (!isRecord(asked) || recordIn(asked, 'thinking').type !== 'adaptive') return unchanged;
  const config = recordIn(asked, 'output_config');
  const budget = thinking === 'none' ? null : budgetFor(asked);
  const set: Record<string, Buffer> = {};
  const drop: string[] = [];
  const warnings: string[] = [];
  if (budget === null) {
    drop.push('thinking');
    warnings.push('adaptive thinking was dropped: this model cannot think about this request');
  } else {
    set.thinking = inJson({ type: 'enabled', budget_tokens: budget });
    warnings.push(`adaptive thinking became a budget of ${budget} tokens: this model knows no other form`);
  }
  if (config.effort !== undefined && efforts.length === 0) {
    const { effort: _, ...others } = config;
    if (Object.keys(others).length === 0) drop.push('output_config');
    else set.output_config = inJson(others);
    // What the effort was meant for is in the budget.
    if (budget === null) warnings.push('effort was dropped: this model knows none');
  }
  const plain = withoutBom(body);
  return { body: spliceObject(plain, membersOf(plain), { set, drop }), warnings };
}

/**
 * Half of the output at most; null where there is too little, or where a call is answered that came without
 * thoughts.
 */
function budgetFor(asked: Record<string, unknown>): number | null {
  const { max_tokens: most, messages, temperature } = asked;
  if (typeof most !== 'number' || most <= leastBudget || (temperature ?? 1) !== 1) return null;
  const { effort } = recordIn(asked, 'output_config');
  const wished = budgetOf(isEffort(effort) ? effort : 'medium');
  const said: unknown[] = Array.isArray(messages) ? messages : [];
  const last = said.findLast((message) => isRecord(message) && message.role === 'assistant');
  const blocks = isRecord(last) && Array.isArray(last.content) ? last.content.filter(isRecord) : [];
  const isBare = blocks.some(({ type }) => type === 'tool_use') && !/thinking$/.test(String(blocks[0]?.type));
  return isBare ? null : Math.max(leastBudget, Math.min(wished, Math.floor(most / 2)));
}

function isEffort(value: unknown): value is Parameters<typeof budgetOf>[0] {
  return typeof value === 'string' && ['low', 'medium', 'high', 'xhigh', 'max'].includes(value);
}
