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

/**
 * True where the model failed to write an answer or a call that can be used, which is no end of an answer.
 */
export function isBroken(stopReason: string): boolean {
  return stopReason === 'malformed_model_output' || stopReason === 'malformed_tool_use';
}

/** Every reason yet to come is `unknown`. */
export function finishReason(stopReason: string): FinishReason {
  return (Object.hasOwn(reasons, stopReason) ? reasons[stopReason] : undefined) ?? 'unknown';
}
