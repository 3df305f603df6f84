import type { PlannedChoices } from '../answer/planned-answer';
import type { NeutralRequest } from '../request/neutral-request';
import type { Refusal } from '../request/refusal';

/** What a dialect needs to write an answer. `usage` null: the fault no_usage leaves it out. */
export interface Spoken<Request extends NeutralRequest = NeutralRequest> {
  request: Request;
  choices: PlannedChoices;
  /** The model's name without controls. */
  model: string;
  usage: SpokenUsage | null;
  /** Of this answer: no other has it. */
  answerId: string;
  newId: () => string;
  /** Epoch seconds. */
  nowS: number;
}

/**
 * Tokens. `inputTokens` includes what a cache gave and what it took, `cacheWriteTokens` what it keeps for
 * hours; `outputTokens` includes reasoning and sound.
 */
export interface SpokenUsage {
  inputTokens: number;
  audioInputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  cacheWrite1hTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  audioOutputTokens: number;
}

/** A write of a stream, and the tokens that it shows. `sound`: of those, the ones of sound; absent: none. */
export interface SpokenStep {
  bytes: string | Uint8Array;
  tokens: number;
  sound?: number | undefined;
}

/**
 * A stream in three parts, so that a fault can break it off in any of them. `opening` null: there is none.
 * `type`: its media type where it is not the dialect's usual one.
 */
export interface SpokenStream {
  type?: string;
  opening: string | Uint8Array | null;
  steps: Iterable<SpokenStep>;
  closing: () => string | Uint8Array;
}

/**
 * An address of a dialect; `stream` null: the body, or the rest of the address, says whether the answer is a
 * stream.
 */
interface DialectPath {
  path: string;
  stream: boolean | null;
}

/**
 * What an address and its headers say of a request. `path`: the address's pattern; `model`: null where the
 * dialect has it in the body; `query`: what is behind the question mark, or empty.
 */
export interface Addressed {
  path: string;
  model: string | null;
  stream: boolean | null;
  query: string;
  /** `anthropic-version`, and `anthropic-beta` or `openai-beta`; empty where they were not sent. */
  version: string;
  betas: string;
  /**
   * The provider that is simulated, by the gateway's id; empty where it was not said: then a model's name
   * tells whose rules hold.
   */
  provider: string;
  /** Whose key came; absent: no key. */
  account?: string;
}

/**
 * An error to be told. `message` null: the dialect's own words for the status. `key`: the credential that
 * came, empty for none.
 */
export interface ErrorReply {
  status: number;
  message: string | null;
  type: string | null;
  param: string | null;
  code: string | null;
  more?: Readonly<Record<string, unknown>> | null;
  key: string;
  retryAfterS: number | null;
}

export interface WrittenError {
  body: string;
  headers?: Readonly<Record<string, string>>;
}

/** How a provider counts the input of a request that it does not answer. */
interface Counting {
  isAsked(addressed: Addressed): boolean;
  /** The request that would be answered. @throws Refusal for what a count does not take. */
  generation(body: Record<string, unknown>, addressed: Addressed): [Record<string, unknown>, Addressed];
  answer(inputTokens: number): object;
}

/**
 * One dialect of simulated providers, written from its provider's documentation and from nothing of the
 * gateway.
 */
export interface Dialect<Request extends NeutralRequest = NeutralRequest> {
  /** The dialect's name, and the first part of its addresses. */
  readonly name: string;
  readonly paths: readonly DialectPath[];
  readonly streamType: string;
  /** Absent: it counts nothing. */
  readonly counting?: Counting;
  /** What this provider answers when it has no capacity left. */
  readonly overloadedStatus: number;
  /** @throws Refusal where the real API would refuse. */
  read(body: Record<string, unknown>, addressed: Addressed): Request;
  plain(spoken: Spoken<Request>): string;
  stream(spoken: Spoken<Request>): SpokenStream;
  error(reply: ErrorReply): WrittenError;
  /** How a prompt that is too long is refused. */
  tooLong(inputTokens: number): Refusal;
  /** An error after a stream began. */
  errorInStream(message: string): string | Uint8Array;
  /** An event that breaks off inside. */
  malformed(): string | Uint8Array;
}
