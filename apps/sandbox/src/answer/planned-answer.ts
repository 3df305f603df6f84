import type { HostedTool, Source } from '../request/neutral-request';
import type { Piece } from './pieces';

interface ReasoningBlock {
  type: 'reasoning';
  pieces: readonly Piece[];
  seal: string;
  /** Only the seal is shown. */
  isRedacted: boolean;
}

export interface TextBlock {
  type: 'text';
  pieces: readonly Piece[];
  /** The sources that the whole text rests on. */
  citations: readonly Source[];
  /** It is spoken: the tokens of its pieces are those of its words and of their sound. Absent: written. */
  isSpoken?: boolean;
}

export interface ToolCallBlock {
  type: 'tool-call';
  id: string;
  name: string;
  nameTokens: number;
  /** The arguments, as JSON; not whole where the answer was cut. */
  pieces: readonly Piece[];
}

export type PlannedBlock = ReasoningBlock | TextBlock | ToolCallBlock | { type: 'refusal'; pieces: readonly Piece[] };

/** What a simulated model answers: the same to the same request. */
export interface PlannedAnswer {
  blocks: readonly PlannedBlock[];
  /** `broken`: nothing came, and it says so where its dialect has a word for that. */
  finish: 'stop' | 'length' | 'tool-calls' | 'stop-sequence' | 'refusal' | 'filter' | 'broken';
  /** The sequence that stopped it; null for any other finish. */
  stopSequence: string | null;
  outputTokens: number;
  reasoningTokens: number;
  /** Of the output tokens, those of sound. */
  soundTokens: number;
  /** The tools of its own that the provider used before it wrote the text, each once. */
  hosted: readonly HostedTool[];
}

/** The choices of an answer: one at least. */
export type PlannedChoices = readonly [PlannedAnswer, ...PlannedAnswer[]];
