import type { UpstreamTarget } from '../provider-dialect';

/**
 * The member that tells a model not to think. Null: the effort `none` tells it.
 * https://api-docs.deepseek.com/guides/thinking_mode
 */
export function thinkingOff({ provider, upstreamModel }: UpstreamTarget): Record<string, unknown> | null {
  const rule = provider.quirks.thinkingSwitch;
  if (rule === null || !new RegExp(rule.models).test(upstreamModel)) return null;
  return rule.member === 'thinking' ? { thinking: { type: 'disabled' } } : { enable_thinking: false };
}
