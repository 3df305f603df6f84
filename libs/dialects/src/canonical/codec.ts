import type { DialectName, GenerationSurface, TokenUsage } from '@tollgate/contracts';
import type { ReadError, UpstreamRequest, UpstreamTarget } from '../provider-dialect';
import type { CanonicalAnswer } from './answer';
import type { Feature } from './features';
import type { GenerationEvent } from './generation-event';
import type { CanonicalRequest } from './generation-request';
import type { ToolNameRule } from './tool-names';

/**
 * The side of a dialect that faces callers. With any ProviderCodec it makes a Translation (translate.ts).
 * Pure, no I/O.
 */
export interface SurfaceCodec {
  readonly name: GenerationSurface;
  /** The member of a request that holds the conversation. */
  readonly turns: 'messages' | 'input';
  /** Its streams begin with the tokens of the input, which most providers tell at the end. */
  readonly beginsWithUsage?: true;
  /** The tokenizer's count of a request's input, as SurfaceDialect tells it. */
  countInputTokens(body: unknown): number;
  /**
   * Reads a caller's parsed body, which `SurfaceDialect.readRequest` has validated.
   * @throws GatewayError 400 naming the field that has the wrong form or that no translation can keep.
   */
  fromRequest(body: Record<string, unknown>): CanonicalRequest;
  /** Writes an answer as SSE text while it comes. */
  streamWriter(context: AnswerContext): StreamWriter;
  /** A whole answer as the surface's JSON document. */
  toResponse(answer: CanonicalAnswer, context: AnswerContext): object;
}

/** What a surface needs beyond the events to write its answer. */
export interface AnswerContext {
  request: CanonicalRequest;
  /** The caller's parsed body, for surfaces whose answers repeat parts of it. */
  body: Record<string, unknown>;
  /** The public id of the model that answers. */
  model: string;
  /** A chat caller asked for the usage chunk; other surfaces always show usage. */
  includeUsage: boolean;
  /** Makes a random id of 24 or more letters and digits, without a prefix. */
  newId: () => string;
  /** Epoch seconds now, for providers that tell no time. */
  nowS: number;
  /** About how many tokens the input has, where streams begin with them; absent: it is not known. */
  inputTokensAbout?: number;
}

/**
 * Canonical events in, SSE text of the surface out ('' for nothing). One per answer. It gets events in the
 * legal order of `LegalEvents`, every block closed; it never gets `error`: edge ends a broken stream.
 */
export interface StreamWriter {
  write(event: GenerationEvent): string;
}

/** The side of a dialect that faces providers. Pure, no I/O. */
export interface ProviderCodec {
  readonly name: DialectName;
  /** How a stream is cut into events. aws: the binary event stream of Bedrock, whose payloads are JSON. */
  readonly framing: 'sse' | 'aws';
  /**
   * What becomes of each feature that a request may use. Dropped and refused ones never reach `toRequest`.
   */
  readonly support: SupportTable;
  /**
   * What servers that an operator runs take beyond `support` and `takesExtra`: features, and top-level fields
   * of other surfaces. Absent: nothing.
   */
  readonly ownServersTake?: { readonly features: readonly Feature[]; readonly fields: readonly string[] };
  /**
   * What it takes as the name of a tool: others are changed on their way there and back. Absent: it sees to
   * that itself, or takes any.
   */
  readonly toolNames?: ToolNameRule;
  /**
   * True for a top-level field of another surface that means the same here; `toRequest` then finds it in
   * `request.extra`.
   */
  takesExtra(surface: DialectName, field: string): boolean;
  /**
   * The body as an object to be written as JSON. `path` is appended to the base URL.
   * @throws GatewayError 400 naming what this provider cannot express; what is changed or clamped goes to
   * `warnings`.
   */
  toRequest(request: CanonicalRequest, target: UpstreamTarget): ProviderRequest;
  /** One per answer. */
  answerParser(context: ParseContext): AnswerParser;
  readonly readError: ReadError;
}

/** An upstream request before its body is written as JSON. */
export interface ProviderRequest extends Omit<UpstreamRequest, 'body'> {
  body: Record<string, unknown>;
}

export interface ParseContext {
  request: CanonicalRequest;
  target: UpstreamTarget;
  /**
   * Makes a random id of 24 or more letters and digits, for what the provider left without one (tool calls of
   * Gemini).
   */
  newId: () => string;
}

/**
 * Reads one provider answer into canonical events. Framing, JSON, cut-off streams and web pages in place of
 * answers are not its business: a stream that closes before `end` was told, or JSON that is none, is a
 * failure without its doing.
 */
export interface AnswerParser {
  /**
   * True once the provider is at work on something that the canonical form does not name, such as a web
   * search of its own: where bytes pass, the answer has begun. Absent: never.
   */
  readonly isAtWork?: boolean;
  /**
   * What served the answer and which tools of its own the provider has used so far, as the stream tells it
   * before its usage; absent: the usage tells it, or nothing does.
   */
  readonly served?: TokenUsage['served'];
  /**
   * One event of a stream: `name` is its SSE event name or AWS event type ('' when it has none), `value` its
   * parsed JSON. `[DONE]` comes as the string '[DONE]'.
   */
  onEvent(name: string, value: unknown): GenerationEvent[];
  /**
   * A whole answer as one JSON document, also where a stream was asked for. It must give a whole, legal
   * sequence or one `error`.
   */
  onDocument(value: unknown): GenerationEvent[];
  /**
   * The stream closed, `end` was not told yet: the last events of a dialect without an end marker, else
   * nothing.
   */
  onClose(): GenerationEvent[];
}

/**
 * mapped: the provider is told. dropped: it makes no difference that matters, the caller reads a warning with
 * the reason. refused: a 400 with the reason. Reasons complete "… was dropped: " and "… is not possible: ".
 */
export type Support = 'mapped' | { dropped: string } | { refused: string };
export type SupportTable = Readonly<Record<Feature, Support>>;
