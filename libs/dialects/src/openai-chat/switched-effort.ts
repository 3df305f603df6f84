import type { UpstreamTarget } from '../provider-dialect';
import { inJson, valueOf, type MemberRange } from '../wire/splice-object';
import { thinkingOff } from './thinking-switch';

/**
 * What becomes of `reasoning_effort`: members that are set, as JSON text, and names of those that are left
 * out.
 */
interface EffortEdits {
  set: Record<string, Uint8Array>;
  drop: string[];
}

const asSaid: EffortEdits = { set: {}, drop: [] };

/**
 * The effort of a request that passes, for a model that is only told whether to think. Groq's Qwen takes
 * `default` in place of a degree, and refuses degrees; `warnings` hears of it:
 * https://github.com/mnfst/modelparams.dev/pull/114. Others are told by a member of their own not to think;
 * what the caller said there counts. Who knows no effort at all is told none: xAI refuses it of such models.
 * https://github.com/NousResearch/hermes-agent/pull/23435
 */
export function switchedEffort(
  source: Uint8Array,
  members: readonly MemberRange[],
  target: UpstreamTarget,
  warnings: string[],
): EffortEdits {
  if (!members.some(({ name }) => name === 'reasoning_effort')) return asSaid;
  const effort = valueOf(source, members, 'reasoning_effort');
  const off = effort === 'none' ? thinkingOff(target) : null;
  if (off) return { set: unsaid(off, members), drop: ['reasoning_effort'] };
  const known = target.model.reasoningEfforts;
  if (known?.length === 0) {
    warnings.push(`reasoning effort '${String(effort)}' was dropped: this model knows none`);
    return { set: {}, drop: ['reasoning_effort'] };
  }
  if (!known?.includes('default') || typeof effort !== 'string' || known.includes(effort)) return asSaid;
  warnings.push(`reasoning effort '${effort}' became 'default': this model knows ${known.join(', ')}`);
  return { set: { reasoning_effort: Buffer.from('"default"') }, drop: [] };
}

function unsaid(wanted: Record<string, unknown>, members: readonly MemberRange[]): Record<string, Uint8Array> {
  const missing = Object.entries(wanted).filter(([name]) => !members.some((member) => member.name === name));
  return Object.fromEntries(missing.map(([name, value]) => [name, inJson(value)]));
}
