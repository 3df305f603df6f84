import type { FinishReason } from '../canonical/generation-event';
import type { CanonicalRequest } from '../canonical/generation-request';

/** https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons */
const reasons = {
  end_turn: 'stop',
  max_tokens: 'length',
  stop_sequence: 'stop-sequence',
  tool_use: 'tool-calls',
  pause_turn: 'pause',
  refusal: 'refusal',
  model_context_window_exceeded: 'context-length',
} as const satisfies Record<string, FinishReason>;

const words: Record<FinishReason, keyof typeof reasons> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
  'context-length': 'model_context_window_exceeded',
  unknown: 'end_turn',
};

/** The reason that a provider of this dialect named. */
export function readStopReason(word: string): FinishReason {
  return isKnown(word) ? reasons[word] : 'unknown';
}

/** How an answer ended, as far as a caller is told. */
interface Ending {
  reason: FinishReason;
  stopSequence?: string;
  refused: boolean;
  calledTools: boolean;
}

/**
 * The members of an answer that say why it ended. Some providers say `stop` where a tool was called or the
 * model refused, and few tell which stop sequence it was.
 */
export function toStop(ending: Ending, request: CanonicalRequest): Record<string, unknown> {
  const reason = endingReason(ending);
  const only = request.stop?.length === 1 ? request.stop[0] : undefined;
  return {
    stop_reason: words[reason],
    stop_sequence: reason === 'stop-sequence' ? (ending.stopSequence ?? only ?? null) : null,
    stop_details: words[reason] === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null,
  };
}

function endingReason({ reason, refused, calledTools }: Ending): FinishReason {
  if (reason !== 'stop' && reason !== 'unknown') return reason;
  if (calledTools) return 'tool-calls';
  return refused ? 'refusal' : reason;
}

function isKnown(word: string): word is keyof typeof reasons {
  return Object.hasOwn(reasons, word);
}
