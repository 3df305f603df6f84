import type { TokenUsage } from '@tollgate/contracts';
import type { Citation, FinishReason, TokenLogprob } from './generation-event';
import type { ReasoningSeal } from './generation-request';

/** A whole answer: what the canonical events of one come to. `usage` null: the provider told none. */
export interface CanonicalAnswer {
  id: string | null;
  model: string | null;
  createdAtS: number | null;
  choices: AnswerChoice[];
  usage: TokenUsage | null;
}

/** One of the alternative answers, its blocks in the order in which they began. */
export interface AnswerChoice {
  blocks: AnswerBlock[];
  finish: FinishReason;
  stopSequence?: string;
  rawFinish?: string;
}

export type AnswerBlock =
  | { type: 'text'; text: string; logprobs?: TokenLogprob[]; citations: Citation[] }
  | { type: 'reasoning'; text: string; id?: string; seal?: ReasoningSeal }
  | { type: 'refusal'; text: string }
  | { type: 'tool-call'; id: string; name: string; arguments: string; signature?: ReasoningSeal };
