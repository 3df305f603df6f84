import type { FinishReason } from '../canonical/generation-event';

/** https://docs.cohere.com/reference/chat#response.body.finish_reason */
const reasons: Readonly<Record<string, FinishReason>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop-sequence',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool-calls',
};

/** Every reason yet to come is `unknown`. */
export function finishReason(raw: string): FinishReason {
  return (Object.hasOwn(reasons, raw) ? reasons[raw] : undefined) ?? 'unknown';
}

/** True where the generation broke off by no doing of the caller's. */
export function isFailure(raw: string): boolean {
  return raw === 'ERROR' || raw === 'TIMEOUT';
}
