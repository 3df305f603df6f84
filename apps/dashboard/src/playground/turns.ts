import type { AttachedFile } from './attached-file';

/** A tool that the model wants to have called. `args` is JSON text as the model wrote it. */
export interface ToolCall {
  id: string;
  name: string;
  args: string;
}

/** Times in milliseconds since the request was sent; null: not yet, or never. Tokens null: not told. */
export interface Measure {
  firstTokenMs: number | null;
  totalMs: number | null;
  /** Epoch milliseconds. */
  endedAt: number | null;
  inputTokens: number | null;
  cachedTokens: number;
  outputTokens: number | null;
  requestId: string | null;
  /** The sandbox gave it, in place of the model's provider. */
  simulated: boolean;
}

export interface UserTurn {
  kind: 'user';
  text: string;
  /** Data URLs. */
  images: string[];
  /** Documents and sounds; absent: none. */
  files?: AttachedFile[] | undefined;
}

export interface AssistantTurn {
  kind: 'assistant';
  model: string;
  text: string;
  reasoning: string;
  toolCalls: ToolCall[];
  state: 'running' | 'done' | 'stopped' | 'failed';
  problem: string | null;
  measure: Measure;
}

export interface ToolTurn {
  kind: 'tool';
  results: { id: string; content: string }[];
}

export type Turn = UserTurn | AssistantTurn | ToolTurn;

const noMeasure: Measure = {
  firstTokenMs: null,
  totalMs: null,
  endedAt: null,
  inputTokens: null,
  cachedTokens: 0,
  outputTokens: null,
  requestId: null,
  simulated: false,
};

export const newAnswer = (model: string): AssistantTurn => ({
  kind: 'assistant',
  model,
  text: '',
  reasoning: '',
  toolCalls: [],
  state: 'running',
  problem: null,
  measure: noMeasure,
});
