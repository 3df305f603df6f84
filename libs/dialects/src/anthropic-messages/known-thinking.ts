import type { UpstreamTarget } from '../provider-dialect';
import { holdsText } from '../wire/holds-text';
import { asBuffer } from '../wire/json-cursor';
import { recordIn } from '../wire/json-value';
import { isObject, itemsOf, membersNamed, textIn } from '../wire/json-walk';
import { withoutBom } from '../wire/request-json';
import { inJson, membersOf, spliceObject, valueOf } from '../wire/splice-object';
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
  const plain = withoutBom(body);
  if (textIn(membersNamed(plain, ['thinking']).get('thinking'), 'type') !== 'adaptive') return unchanged;
  const members = membersOf(plain);
  const settings = ['output_config', 'max_tokens', 'temperature'];
  const asked = Object.fromEntries(settings.map((name) => [name, valueOf(plain, members, name)]));
  const config = recordIn(asked, 'output_config');
  const budget = thinking === 'none' || isBare(plain) ? null : budgetFor(asked);
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
  return { body: spliceObject(plain, members, { set, drop }), warnings };
}

/**
 * Whether a call is answered that came without thoughts. Messages are walked over: what they hold may be
 * large.
 */
function isBare(body: Uint8Array): boolean {
  const said = [...itemsOf(membersNamed(body, ['messages']).get('messages'))];
  const last = said.findLast((message) => textIn(message, 'role') === 'assistant');
  const blocks = last ? [...itemsOf(membersNamed(last, ['content']).get('content'))].filter(isObject) : [];
  const types = blocks.map((block) => textIn(block, 'type'));
  return types.includes('tool_use') && !/thinking$/.test(types[0] ?? '');
}

/** Half of the output at most; null where there is too little. */
function budgetFor(asked: Record<string, unknown>): number | null {
  const { max_tokens: most, temperature } = asked;
  if (typeof most !== 'number' || most <= leastBudget || (temperature ?? 1) !== 1) return null;
  const { effort } = recordIn(asked, 'output_config');
  const wished = budgetOf(isEffort(effort) ? effort : 'medium');
  return Math.max(leastBudget, Math.min(wished, Math.floor(most / 2)));
}

function isEffort(value: unknown): value is Parameters<typeof budgetOf>[0] {
  return typeof value === 'string' && ['low', 'medium', 'high', 'xhigh', 'max'].includes(value);
}
