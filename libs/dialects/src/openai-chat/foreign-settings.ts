import { RequestFields } from '../canonical/request-fields';
import type { UpstreamTarget } from '../provider-dialect';
import { inJson, spliceObject, valueOf, type MemberRange } from '../wire/splice-object';
import { fromReasoning } from './from-reasoning';
import { toThinking } from './to-thinking';

/** What tells of reasoning in the words of other providers. */
const reasoningNames = ['thinking', 'reasoning'];

/**
 * A request that passes, with what its provider refuses of other providers' settings said in the provider's
 * own words: how much to think becomes `reasoning_effort`, and usage is told in any case. `warnings` hears of
 * what is lost. Null: nothing is to be said otherwise.
 */
export function inOwnWords(
  source: Uint8Array,
  members: readonly MemberRange[],
  target: UpstreamTarget,
  warnings: string[],
): Buffer | null {
  const refused = target.provider.quirks.chatDropFields;
  const isForeign = (name: string) => refused.includes(name) && members.some((member) => member.name === name);
  const reasoning = reasoningNames.filter(isForeign);
  const drop = isForeign('usage') ? [...reasoning, 'usage'] : reasoning;
  if (drop.length === 0) return null;
  const effort = valueOf(source, members, 'reasoning_effort') ?? null;
  const said = Object.fromEntries(reasoning.map((name) => [name, valueOf(source, members, name)]));
  if (effort !== null) warnings.push(...reasoning.map((name) => `${name} was dropped: reasoning_effort says it`));
  const set = effort === null && reasoning.length > 0 ? thinkingFor(said, target, warnings) : {};
  return spliceObject(source, members, { set, drop });
}

function thinkingFor(
  said: Record<string, unknown>,
  target: UpstreamTarget,
  warnings: string[],
): Record<string, Uint8Array> {
  const unread: string[] = [];
  const setting = fromReasoning(RequestFields.of(said, ''), unread);
  warnings.push(...unread.map((name) => `${name} was dropped: ${target.provider.name} does not take it`));
  const members = Object.entries(toThinking(setting, target, warnings)).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members.map(([name, value]) => [name, inJson(value)]));
}
