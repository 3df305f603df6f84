import { holdsFor, type UpstreamTarget } from '../provider-dialect';

/**
 * The member that tells a model not to think. Null: the effort `none` tells it.
 * https://api-docs.deepseek.com/guides/thinking_mode
 */
export function thinkingOff(target: UpstreamTarget): Record<string, unknown> | null {
  const rule = target.provider.quirks.thinkingSwitch;
  if (rule === null || !holdsFor(rule.models, target)) return null;
  return rule.member === 'thinking' ? { thinking: { type: 'disabled' } } : { enable_thinking: false };
}
