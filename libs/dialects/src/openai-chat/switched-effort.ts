import type { UpstreamTarget } from '../provider-dialect';
import { asBuffer } from '../wire/json-cursor';
import type { MemberRange } from '../wire/splice-object';

/**
 * `default` in place of a degree, for a model that is only told whether to think, which Groq's Qwen is, and refuses degrees; `warnings` hears of it. Null: the
 * caller's own word is sent. https://github.com/mnfst/modelparams.dev/pull/114
 */
export function switchedEffort(
  source: Uint8Array,
  members: readonly MemberRange[],
  { model: { reasoningEfforts: known } }: UpstreamTarget,
  warnings: string[],
): Uint8Array | null {
  const member = members.findLast(({ name }) => name === 'reasoning_effort');
  if (!member || !known?.includes('default')) return null;
  const effort: unknown = JSON.parse(asBuffer(source.subarray(member.valueStart, member.end)).toString('utf8'));
  if (typeof effort !== 'string' || known.includes(effort)) return null;
  warnings.push(`reasoning effort '${effort}' became 'default': this model knows ${known.join(', ')}`);
  return Buffer.from('"default"');
}
