import type { ErrorDetails, DialectName, SurfaceName, TokenUsage } from '@tollgate/contracts';
import type { CatalogModel, ProviderDefinition } from '@tollgate/contracts/catalog';
import type { ContinuedAnswer } from './canonical/continued-answer';
import type { CanonicalRequest } from './canonical/generation-request';
import type { AnswerGate } from './canonical/guarded-events';

/**
 * What to send to a provider. `path` is appended to the provider's base URL. `warnings` tell the caller what
 * was dropped or changed.
 */
export interface UpstreamRequest {
  path: string;
  headers: Record<string, string>;
  /** In pieces: what stays of a caller's is looked at where it lies, and not copied. */
  body: readonly Uint8Array[];
  warnings: string[];
}

export interface UpstreamTarget {
  provider: ProviderDefinition;
  model: CatalogModel;
  upstreamModel: string;
  stream: boolean;
  /**
   * A name for the key that is used (a-z, 0-9), where the provider has several and this is not the first:
   * they may be of different accounts. Absent: the provider is one.
   */
  account?: string;
}

/** Who alone can open what is sealed there: a provider, or one of its accounts. */
export function sealerOf({ provider, account }: Pick<UpstreamTarget, 'provider' | 'account'>): string {
  return account === undefined ? provider.id : `${provider.id}-${account}`;
}

/** Whether a rule of a provider's holds for a model. `models`: a pattern for names; null: it holds for none. */
export function holdsFor(models: string | null, { upstreamModel }: Pick<UpstreamTarget, 'upstreamModel'>): boolean {
  return models !== null && new RegExp(models).test(upstreamModel);
}

/**
 * Whether responses know tools of free text (`custom`), and what else OpenAI has beside functions. Servers of
 * an operator's own are told what their callers say.
 */
export function knowsFreeText({ provider }: Pick<UpstreamTarget, 'provider'>): boolean {
  return provider.operatorDefined || provider.quirks.customTools !== null;
}

/**
 * Whose fault an upstream error is. caller: pass it on as 400, or as `status`, with `message`; retryable: try
 * again or elsewhere; ours: elsewhere only (credentials, a wrong model name). `message` names the provider
 * and the status, never its secrets. `retryAfterS` null: the provider named no time. `aboutRequest`: a
 * refusal that a smaller request would not meet: no sign of load. `detail`: the provider's own words,
 * redacted, where `message` does not hold them.
 */
export interface UpstreamError {
  fault: 'caller' | 'retryable' | 'ours';
  code: string;
  message: string;
  retryAfterS: number | null;
  status?: 401 | 403 | 404 | 429;
  aboutRequest?: boolean;
  detail?: string;
  /** What the provider tells programs beside its words; absent: nothing. */
  details?: ErrorDetails;
  /** The id of the guardrail that refused the answer; absent: the provider is at fault, or the caller. */
  guardrail?: string;
}

/**
 * How an upstream answer stands. waiting: nothing usable came yet, so another deployment may still be tried;
 * flowing: an answer has begun; complete: it ended as the dialect demands; failed: it carries an error or
 * broke its grammar.
 */
export type AnswerState = 'waiting' | 'flowing' | 'complete' | 'failed';

/**
 * Turns one upstream answer (status 2xx) into bytes for the caller, and finds its usage. One per attempt; it
 * may be fed any split of the bytes.
 */
export interface AnswerReader {
  readonly state: AnswerState;
  /** Set when `state` is failed. */
  readonly error: UpstreamError | null;
  /** The provider's own usage, null while it has told none. */
  readonly usage: TokenUsage | null;
  /**
   * What served the answer, where that is told apart from its usage; absent: nothing was, or all was as
   * usual.
   */
  readonly served?: TokenUsage['served'];
  /** What the provider calls its answer; absent or null: it has not told. */
  readonly answerId?: string | null;
  /** True once content (text, tool call, reasoning) was seen. */
  readonly hasContent: boolean;
  /**
   * Takes upstream bytes, returns bytes for the caller (often the same, sometimes none). For an answer that
   * is no stream it returns nothing before `end`.
   */
  push(bytes: Uint8Array): Uint8Array;
  /**
   * The upstream closed. Returns the last bytes; afterwards `state` is complete or failed (an end without a
   * finish is a failure).
   */
  end(): Uint8Array;
  /** As `end`, without a copy of what is large: the pieces as they came. Absent: there are none. */
  endInPieces?(): readonly Uint8Array[];
  /** Output tokens produced so far by tokenizer, for an answer that was cut off. */
  outputTokensSeen(): number;
  /**
   * Counts a part of these, two milliseconds of work, when nothing more comes; false: all are counted.
   * Absent: they are counted in one step.
   */
  countSome?(): boolean;
  /**
   * Characters of output so far, by a cheap count that may be a little high. Absent: it is not known before
   * the end.
   */
  readonly outputLength?: number;
  /**
   * What it has in memory of a stream that it gathers into an answer in one piece, bytes, about: each token
   * comes with some hundreds around it. Absent or 0: it gathers none.
   */
  readonly gatheredBytes?: number;
  /**
   * Ends an answer that flows as one that reached its limit of output, with this usage: returns the bytes
   * that close it, and `state` is complete. Absent: it cannot be ended before it is whole.
   */
  cut?(usage: TokenUsage): Uint8Array;
  /** True once it was ended so: the provider may still be sending. */
  readonly isCut?: boolean;
}

/** Ends an answer: its last bytes, in the pieces in which they came where they can be had so. */
export function lastPieces(reader: AnswerReader): readonly Uint8Array[] {
  return reader.endInPieces?.() ?? [reader.end()];
}

/**
 * A caller's request in its provider's dialect, and what its answer is read with: the caller's body and what
 * was taken of it, both without texts that no answer repeats. `repeated`: messages that an answer repeats, as
 * JSON with commas between; absent: none does. `inputTokensAbout`: about how many tokens its input has, where
 * the answer is to begin with them. Plain data, which another thread may have made.
 */
export interface TranslatedRequest {
  request: UpstreamRequest;
  body: Record<string, unknown>;
  fitted: CanonicalRequest;
  repeated?: string;
  inputTokensAbout?: number;
}

/** How one attempt looks upstream, and how its answer is read. */
export interface PreparedAttempt {
  request: UpstreamRequest;
  /** The reader of an answer with a 2xx status. */
  answerReader(): AnswerReader;
}

/**
 * `includeUsage`: a streaming caller of chat completions asked for the usage chunk. `newGate`: each text of
 * the answer goes through one of these; null: as it comes. `maxOutputTokens`: the caller's limit, for all
 * choices together; null: none. `continued`: writes a stream that may go on at another place; null: it may
 * not. `tellThoughts`: see GenerationRequest. `translated`: what `translate` made of the same body for the
 * same target; absent: nothing did.
 */
export interface AttemptOptions {
  includeUsage: boolean;
  newGate?: (() => AnswerGate) | null;
  maxOutputTokens?: number | null;
  continued?: ContinuedAnswer | null;
  tellThoughts?: boolean;
  translated?: TranslatedRequest | undefined;
}

/** Reads a non-2xx answer. `headers` have lower-case names; `nowMs` resolves a Retry-After date. */
export type ReadError = (
  status: number,
  headers: Record<string, string>,
  body: Uint8Array,
  providerName: string,
  nowMs: number,
) => UpstreamError;

/**
 * One pair of surface and provider dialect: the same dialect passes bytes through, different ones translate.
 * Pure, no I/O.
 */
export interface Translation {
  readonly surface: SurfaceName;
  readonly provider: DialectName;
  /** @throws GatewayError 400 naming the field that the target cannot express. */
  prepare(body: Uint8Array, target: UpstreamTarget, options: AttemptOptions): PreparedAttempt;
  /**
   * The part of `prepare` that takes long for a large body, so that a thread can do it. Absent: bytes pass.
   * @throws GatewayError as `prepare`.
   */
  translate?(body: Uint8Array, target: UpstreamTarget): TranslatedRequest;
  readonly readError: ReadError;
  /**
   * Input tokens of the caller's body by tokenizer, for an answer that told no usage. `model`: as it is sent
   * to it; absent: as it came.
   */
  countInputTokens(body: Uint8Array, model?: CatalogModel): number;
}
