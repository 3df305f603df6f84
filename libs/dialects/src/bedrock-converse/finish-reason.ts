import type { FinishReason } from '../canonical/generation-event';

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_MessageStopEvent.html */
const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  stop_sequence: 'stop-sequence',
  guardrail_intervened: 'content-filter',
  content_filtered: 'content-filter',
  model_context_window_exceeded: 'context-length',
  refusal: 'refusal',
  pause_turn: 'pause',
};

/** Malformed output has no name elsewhere and is `unknown`, as every reason yet to come. */
export function finishReason(stopReason: string): FinishReason {
  return (Object.hasOwn(reasons, stopReason) ? reasons[stopReason] : undefined) ?? 'unknown';
}
