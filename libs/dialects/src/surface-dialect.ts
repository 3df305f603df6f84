import type { GatewayError, ServedTerms, SurfaceName } from '@tollgate/contracts';
import type { ToldCost } from './canonical/cost-event';

/** What a model must be able to do to serve a request. */
export type Need = 'tools' | MediaNeed | 'structured output';

/** What of a request is no text. */
export type MediaNeed = 'images' | 'files' | 'audio';

/**
 * The pictures, files or recordings of a request, wherever they stand: how many, and their estimated tokens.
 * `isAsked`: one is in the user's new question; else they are of earlier turns or of tools' results, and
 * words take their place where a model does not take them.
 */
export interface RequestMedia {
  readonly need: MediaNeed;
  readonly parts: number;
  readonly tokens: number;
  readonly isAsked: boolean;
}

/**
 * What edge must know of a request, read once from the caller's body. `inputTokensEstimate` is cheap and a
 * bound for text: a token a byte. `mediaTokens` of these are estimates for data of images, recordings and
 * files; see tokensPerByte for how many the rest really is.
 * `maxOutputTokens` null: the caller set no limit. `includeUsage`: a streaming caller asked to see the usage
 * chunk. `needs`: without these it cannot be served. `media` absent: it is all text.
 */
export interface SurfaceRequest {
  model: string;
  stream: boolean;
  includeUsage: boolean;
  maxOutputTokens: number | null;
  inputTokensEstimate: number;
  mediaTokens: number;
  needs: readonly Need[];
  media?: readonly RequestMedia[];
  /** Absent: its surface has no kept responses. */
  state?: StateWish;
  /**
   * Other models that a provider of the same dialect is to ask for this answer, by its names for them.
   * Absent: none.
   */
  asksBeside?: readonly string[];
  /** Whom the caller's application serves, as it says; anything of any length. Absent: it says nothing. */
  endUser?: string | undefined;
}

/**
 * What a request says of responses that are kept. `keeps`: its own is to be. `background`: nobody waits for
 * it. `completionWindow`: until when it may come, for a discount; null: nothing was said. `previousId`: of
 * the response that it goes on from, null: of none. `conversationId`: of the conversation that it goes on and
 * that its own is added to, null: of none. `references`: the ids of items that stand in its input for what
 * they were in earlier output. `warmsUp`: nothing is to be generated, as it only prepares the next turn of
 * its connection.
 */
export interface StateWish {
  readonly keeps: boolean;
  readonly background: boolean;
  readonly completionWindow: string | null;
  readonly previousId: string | null;
  readonly conversationId: string | null;
  readonly references: readonly string[];
  readonly warmsUp: boolean;
}

/** The tokens of a request's input. */
export type InputTokens = Pick<SurfaceRequest, 'inputTokensEstimate' | 'mediaTokens'>;

/**
 * Counts what a caller was sent, for a stream that ended without usage. Memory is bounded: long streams are
 * folded into counts as they go.
 */
export interface Transcript {
  push(bytes: Uint8Array): void;
  /** Tokens of the text, tool-call arguments and reasoning seen so far, by tokenizer. */
  outputTokens(): number;
  /**
   * What else of its price the answer told its caller so far: the tier, speed and region that serve it, and
   * each call of the provider's own tools that has begun. Undefined: nothing, as of answers that were
   * translated from a dialect whose terms this one has no place for.
   */
  served(providerId: string): ServedTerms | undefined;
}

/** Gathers what a caller is sent. `isTruncated`: there was more than it would read. */
export interface GatheredAnswer {
  readonly isTruncated: boolean;
  push(bytes: Uint8Array): void;
  /** What came so far, in the form of a whole answer. Null: nothing that can be read. */
  answer(): unknown;
}

/** The side of a wire dialect that faces callers: pure, no I/O. */
export interface SurfaceDialect {
  readonly name: SurfaceName;
  /** The path callers post to. */
  readonly path: string;
  /**
   * A parsed body that came in a form of another surface, in this one's; the very same object where there is
   * nothing to do. Absent: never.
   * @throws GatewayError 400 for what cannot be said so.
   */
  inOwnForm?(body: unknown): unknown;
  /**
   * Validates a parsed JSON body. `headers`: what `providerHeaders` gave; absent: none.
   * @throws GatewayError 400 naming the field.
   */
  readRequest(body: unknown, bodyBytes: number, headers?: Readonly<Record<string, string>>): SurfaceRequest;
  /**
   * The request headers that a provider of the same dialect needs (names in lower case).
   * @throws GatewayError 400 for one of a wrong form.
   */
  providerHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string>;
  /** A comment that keeps an idle stream open. */
  readonly keepAlive: Uint8Array;
  /**
   * An error as this dialect's clients read it, for an answer that has not begun. `requestId` where the
   * dialect's errors hold one.
   */
  errorBody(error: GatewayError, requestId: string): object;
  /** The in-band ending of a stream that failed after it began; never a clean end. */
  streamError(error: GatewayError): Uint8Array;
  /** Whether an event of a stream that begins with this line is the one that closes a good one. */
  closesStream(line: string): boolean;
  /**
   * An event that tells what the answer cost, to stand in front of the closing one. `first` is the first
   * event's JSON, null where it had none.
   */
  costEvent(cost: ToldCost, first: unknown): Uint8Array;
  /** Input tokens of a request body by tokenizer, for an event whose provider told no usage. */
  countInputTokens(body: unknown): number;
  /**
   * True where the answer is kept at the provider, continues what is, or names what expires: the same answer
   * cannot stand for it later. `body` was validated.
   */
  keepsState(body: unknown): boolean;
  /** The id of an answer, from its first JSON value (of a stream: its first event). Null: it has none. */
  answerId(first: unknown): string | null;
  transcript(): Transcript;
  /** Gathers a stream, of which it reads at most `maxBytes`. */
  gatheredStream(maxBytes: number): GatheredAnswer;
}
