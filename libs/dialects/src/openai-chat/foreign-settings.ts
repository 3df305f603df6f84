import { RequestFields } from '../canonical/request-fields';
import type { UpstreamTarget } from '../provider-dialect';
import { isRecord, recordIn } from '../wire/json-value';
import { inJson, nullsIn, spliceObject, valueOf, type MemberRange } from '../wire/splice-object';
import { fromReasoning } from './from-reasoning';
import { thinkingOn } from './taken-settings';
import { toThinking } from './to-thinking';

/** What tells of reasoning in the words of other providers. */
const reasoningNames = ['thinking', 'reasoning'];

/** How clients of OpenRouter ask to be told what they are told in any case. */
const tellingNames = ['usage', 'include_reasoning'];

/**
 * A request that passes, with what its provider refuses of other providers' settings said in the provider's
 * own words: how much to think becomes `reasoning_effort`, and thoughts and usage are told in any case. What
 * the caller said in the provider's words counts. `warnings` hears of what is lost. Null: nothing is to be
 * said otherwise.
 */
export function inOwnWords(
  source: Uint8Array,
  members: readonly MemberRange[],
  target: UpstreamTarget,
  warnings: string[],
): Buffer | null {
  const refused = target.provider.quirks.chatDropFields;
  const nulls = nullsIn(source, members);
  const isSaid = (name: string) => !nulls.has(name) && members.some((member) => member.name === name);
  const isForeign = (name: string) => refused.includes(name) && isSaid(name);
  const reasoning = reasoningNames.filter(isForeign);
  const drop = [...reasoning, ...tellingNames.filter(isForeign)];
  if (drop.length === 0) return null;
  if (drop.includes('include_reasoning') && valueOf(source, members, 'include_reasoning') === false)
    warnings.push(`include_reasoning was dropped: ${target.provider.name} does not take it`);
  const saidBy = (own: string) => reasoning.map((name) => `${name} was dropped: ${own} says it`);
  if (isSaid('reasoning_effort')) {
    warnings.push(...saidBy('reasoning_effort'));
    return spliceObject(source, members, { drop });
  }
  const said = Object.fromEntries(reasoning.map((name) => [name, valueOf(source, members, name)]));
  const wanted = reasoning.length === 0 ? {} : thinkingFor(said, target, warnings);
  const set = unsaid(wanted, source, members);
  for (const own of Object.keys(wanted)) if (!Object.hasOwn(set, own)) warnings.push(...saidBy(own));
  return spliceObject(source, members, { set, drop });
}

/**
 * Those of the members that the caller did not say, as JSON text: what is null is not said. In `reasoning`,
 * which holds more than a switch, `enabled` alone says it, and stands beside what else the caller said there.
 */
export function unsaid(
  wanted: Readonly<Record<string, unknown>>,
  source: Uint8Array,
  members: readonly MemberRange[],
): Record<string, Uint8Array> {
  const set: Record<string, Uint8Array> = {};
  for (const [name, value] of Object.entries(wanted)) {
    const said = valueOf(source, members, name) ?? null;
    if (said === null) set[name] = inJson(value);
    else if (name === 'reasoning' && isRecord(said) && typeof said.enabled !== 'boolean')
      set[name] = inJson({ ...said, ...recordIn(wanted, name) });
  }
  return set;
}

/** Whether a request wants no thoughts, in words of OpenAI (these count first), OpenRouter or Anthropic. */
export function wantsNoThoughts(source: Uint8Array, members: readonly MemberRange[]): boolean {
  const effort = valueOf(source, members, 'reasoning_effort') ?? null;
  if (effort !== null) return effort === 'none';
  const said = Object.fromEntries(reasoningNames.map((name) => [name, valueOf(source, members, name)]));
  return fromReasoning(RequestFields.of(said, ''), [])?.off === true;
}

function thinkingFor(
  said: Record<string, unknown>,
  target: UpstreamTarget,
  warnings: string[],
): Record<string, unknown> {
  const unread: string[] = [];
  // Chat completions have no word for it.
  const { summary, ...setting } = fromReasoning(RequestFields.of(said, ''), unread) ?? {};
  if (summary !== undefined) unread.push('reasoning.summary');
  warnings.push(...unread.map((name) => `${name} was dropped: ${target.provider.name} does not take it`));
  const members = Object.entries(toThinking(setting, target, warnings)).filter(([, value]) => value !== undefined);
  const by = turnedOnBy(said);
  const { capabilities, reasoningEfforts: efforts } = target.model;
  const reasons = capabilities.reasoning || target.provider.operatorDefined;
  if (members.length > 0 || by === null || !reasons) return Object.fromEntries(members);
  const on = thinkingOn(target);
  // A model whose efforts are known, and which cannot do without, thinks in any case.
  const isUnknown = efforts === undefined || efforts.includes('none');
  if (on === null && isUnknown)
    warnings.push(`${by} was dropped: ${target.provider.name} cannot be told to turn it on here`);
  return on ?? {};
}

/** The field that tells a model to think, however much. Null: none does. */
function turnedOnBy(said: Record<string, unknown>): string | null {
  if (recordIn(said, 'reasoning').enabled === true) return 'reasoning';
  return recordIn(said, 'thinking').type === 'enabled' ? 'thinking' : null;
}
