import type { PlannedAnswer } from './answer-plan';
import type { NeutralRequest } from './neutral-request';

/** What a voice needs to write an answer. `usage` null: the fault no_usage leaves it out. */
export interface Spoken {
  answer: PlannedAnswer;
  /** The model's name without controls. */
  model: string;
  usage: SpokenUsage | null;
  newId: () => string;
  /** Epoch seconds. */
  nowS: number;
}

interface SpokenUsage {
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  reasoningTokens: number;
}

/** A write of a stream, and the tokens that it shows. */
export interface SpokenStep {
  bytes: string | Uint8Array;
  tokens: number;
}

/** A stream in three parts, so that a fault can break it off in any of them. */
export interface SpokenStream {
  opening: string | Uint8Array;
  steps: readonly SpokenStep[];
  closing: string | Uint8Array;
}

/** An address of a dialect; `stream` null: the body says whether the answer is a stream. */
export interface VoicePath {
  path: string;
  stream: boolean | null;
}

/** One dialect of simulated providers, written from its provider's documentation and from nothing of the gateway. */
export interface Voice {
  /** The dialect's name, and the first part of its addresses. */
  readonly dialect: string;
  readonly paths: readonly VoicePath[];
  readonly streamType: string;
  /** `model` stands in the address where the dialect has it there, else it is null. @throws Refusal where the real API would answer 400. */
  read(body: Record<string, unknown>, model: string | null, stream: boolean | null): NeutralRequest;
  plain(spoken: Spoken): string;
  stream(spoken: Spoken): SpokenStream;
  /** The body and the headers of an error. `type` is the dialect's word for a refusal of its own, null for the usual one of the status. */
  error(status: number, message: string, type: string | null): { body: string; headers?: Record<string, string> };
  /** An error after a stream began. */
  errorInStream(message: string): string | Uint8Array;
  /** An event that breaks off inside. */
  malformed(): string | Uint8Array;
}

/** The message of an error status that a control asked for. */
export const statusMessages: Readonly<Record<number, string>> = {
  401: 'The key is not valid.',
  403: 'The key may not do this.',
  404: 'The model does not exist.',
  429: 'Too many requests: the rate limit was reached.',
  500: 'The server had an error while processing the request.',
  503: 'The model is overloaded. Please try again later.',
  529: 'Overloaded',
};
