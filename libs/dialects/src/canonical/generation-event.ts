import type { DialectName, TokenUsage } from '@tollgate/contracts';
import type { UpstreamError } from '../provider-dialect';
import type { ReasoningSeal } from './generation-request';

/** Why the model stopped. stop: by itself; unknown: the provider gave a reason that nobody knows. */
export type FinishReason =
  | 'stop'
  | 'stop-sequence'
  | 'length'
  | 'tool-calls'
  | 'content-filter'
  | 'refusal'
  | 'pause'
  | 'context-length'
  | 'unknown';

/**
 * An answer as events, whatever dialect it came in, and whether it was a stream or not.
 * Order: `start`; then per choice blocks (`…-start`, deltas, `…-end`), whose numbers are unique in the answer
 * and which may interleave; `finish` once per choice, after its last block; `usage` at any time, each one
 * replacing the one before; `end`. After `end` or `error` nothing follows. Parsers may leave blocks open and
 * may send `finish` without `-end`: `LegalEvents` closes what is open before a writer sees it. What must not
 * happen (a delta without a start) is a fault of the parser.
 */
export type GenerationEvent =
  /** The provider's own id and model name, null when it tells none; `createdAtS` in epoch seconds. */
  | { type: 'start'; id: string | null; model: string | null; createdAtS: number | null }
  | { type: 'text-start'; choice: number; block: number }
  | { type: 'text-delta'; choice: number; block: number; text: string; logprobs?: TokenLogprob[] }
  | { type: 'text-end'; choice: number; block: number }
  /**
   * A source of the text of block `block`, in the words of `dialect`; a surface of another dialect shows its
   * url and title where it can.
   */
  | { type: 'citation'; choice: number; block: number; citation: Citation }
  | { type: 'reasoning-start'; choice: number; block: number; id?: string }
  | { type: 'reasoning-delta'; choice: number; block: number; text: string }
  /** `seal` is known at the end of the block. A block of redacted reasoning has a seal and no delta. */
  | { type: 'reasoning-end'; choice: number; block: number; seal?: ReasoningSeal }
  | { type: 'refusal-start'; choice: number; block: number }
  | { type: 'refusal-delta'; choice: number; block: number; text: string }
  | { type: 'refusal-end'; choice: number; block: number }
  /** `signature`: where the provider tells the seal of a call together with its name. */
  | { type: 'tool-call-start'; choice: number; block: number; id: string; name: string; signature?: ReasoningSeal }
  | { type: 'tool-call-delta'; choice: number; block: number; arguments: string }
  /** `signature`: one that was told behind the call's start. */
  | { type: 'tool-call-end'; choice: number; block: number; signature?: ReasoningSeal }
  /**
   * `stopSequence`: which one stopped it, where the provider tells; `raw`: the provider's own word for the
   * reason.
   */
  | { type: 'finish'; choice: number; reason: FinishReason; stopSequence?: string; raw?: string }
  | { type: 'usage'; usage: TokenUsage }
  | { type: 'end' }
  | { type: 'error'; error: UpstreamError };

/** One output token's log probability and its likeliest alternatives. */
export interface TokenLogprob {
  token: string;
  logprob: number;
  bytes: number[] | null;
  top: { token: string; logprob: number; bytes: number[] | null }[];
}

/**
 * A source that a text rests on. `original` is the provider's own object, for a surface of the same dialect.
 */
export interface Citation {
  dialect: DialectName;
  url: string | null;
  title: string | null;
  original: Record<string, unknown>;
}
