import { RequestFields } from '../canonical/request-fields';
import type { UpstreamTarget } from '../provider-dialect';
import { recordIn } from '../wire/json-value';
import { inJson, nullsIn, spliceObject, valueOf, type MemberRange } from '../wire/splice-object';
import { fromReasoning } from './from-reasoning';
import { thinkingOn } from './taken-settings';
import { toThinking } from './to-thinking';

/** What tells of reasoning in the words of other providers. */
const reasoningNames = ['thinking', 'reasoning'];

/**
 * A request that passes, with what its provider refuses of other providers' settings said in the provider's
 * own words: how much to think becomes `reasoning_effort`, and usage is told in any case. What the caller
 * said in the provider's words counts. `warnings` hears of what is lost. Null: nothing is to be said
 * otherwise.
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
  const drop = isForeign('usage') ? [...reasoning, 'usage'] : reasoning;
  if (drop.length === 0) return null;
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

/** Those of the members that the caller did not say, as JSON text: what is null is not said. */
export function unsaid(
  wanted: Readonly<Record<string, unknown>>,
  source: Uint8Array,
  members: readonly MemberRange[],
): Record<string, Uint8Array> {
  const missing = Object.entries(wanted).filter(([name]) => (valueOf(source, members, name) ?? null) === null);
  return Object.fromEntries(missing.map(([name, value]) => [name, inJson(value)]));
}

function thinkingFor(
  said: Record<string, unknown>,
  target: UpstreamTarget,
  warnings: string[],
): Record<string, unknown> {
  const unread: string[] = [];
  const setting = fromReasoning(RequestFields.of(said, ''), unread);
  warnings.push(...unread.map((name) => `${name} was dropped: ${target.provider.name} does not take it`));
  const known = warnings.length;
  const members = Object.entries(toThinking(setting, target, warnings)).filter(([, value]) => value !== undefined);
  if (members.length > 0 || warnings.length > known || !isTurnedOn(said)) return Object.fromEntries(members);
  const on = thinkingOn(target);
  if (on === null) warnings.push(`reasoning was dropped: ${target.provider.name} cannot be told to turn it on here`);
  return on ?? {};
}

/** Whether a model is to think, however much. */
function isTurnedOn(said: Record<string, unknown>): boolean {
  return recordIn(said, 'reasoning').enabled === true || recordIn(said, 'thinking').type === 'enabled';
}
