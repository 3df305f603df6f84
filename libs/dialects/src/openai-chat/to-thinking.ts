import type { ReasoningSetting } from '../canonical/generation-request';
import { toNamedEffort } from '../canonical/reasoning-effort';
import type { UpstreamTarget } from '../provider-dialect';
import { thinkingOff } from './taken-settings';

/** The members that tell a model of chat completions how much to think; `warnings` hears of every change. */
export function toThinking(
  setting: ReasoningSetting | undefined,
  target: UpstreamTarget,
  warnings: string[],
): Record<string, unknown> {
  const isOff = setting?.off === true || setting?.effort === 'none';
  const off = isOff && target.model.capabilities.reasoning ? thinkingOff(target) : null;
  return off ?? { reasoning_effort: toNamedEffort(setting ?? {}, target, warnings, 'chat completions') };
}
