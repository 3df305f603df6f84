import { noUsage, type TokenUsage } from '@tollgate/contracts';
import { withSeen, type AnswerReader } from '@tollgate/dialects';
import { toldUsage } from './told-usage';

/** What is known of an attempt when its tokens are counted. */
export interface TokenEvidence {
  completed: boolean;
  stream: boolean;
  requestSent: boolean;
  /** The reader of a good answer; null when no head arrived, or an HTTP error. */
  reader: AnswerReader | null;
  /** The provider's HTTP status, null when none arrived. */
  status: number | null;
}

/** Tokens of an attempt. `estimated`: a tokenizer counted at least a part. */
export interface TokenCount {
  usage: TokenUsage;
  estimated: boolean;
}

/**
 * All that is kept of what an attempt used that did not complete, until it is known who pays. `input` null:
 * its provider told none. `estimated`: a part of it was not told.
 */
export interface LostUse {
  readonly input: number | null;
  readonly output: number;
  readonly estimated: boolean;
}

const nothing: TokenCount = { usage: noUsage, estimated: false };
/** About what a token of a text has. */
const charactersPerToken = 4;

/**
 * The tokens that an attempt used. The provider's own count is the truth of a completed answer, but of one
 * that was cut at its limit, of which the caller got less. An answer that was cut off or cannot be read has
 * the provider's input count if it told one, else the tokenizer's, the output that arrived, and the uses of
 * the provider's own tools that the answer had told of. A request that the provider never got, or refused
 * with an HTTP error, used nothing.
 */
export function countTokens(evidence: TokenEvidence, countInput: () => number): TokenCount {
  const { reader, completed } = evidence;
  const told = toldUsage(reader);
  if (completed && told) return { usage: told, estimated: reader?.isCut ?? false };
  if (!completed && isWithoutUse(evidence)) return nothing;
  const output = completed || evidence.stream ? (reader?.outputTokensSeen() ?? 0) : 0;
  if (!told) return { usage: withSeen({ ...noUsage, input: countInput(), output }, reader?.served), estimated: true };
  const usesAreTold = told.served?.units !== undefined || reader?.served?.units === undefined;
  // A count that covers all that arrived was told at the end of the answer: only its closing was cut off.
  if (output > 0 && told.output >= output && usesAreTold) return { usage: told, estimated: false };
  return { usage: withSeen({ ...told, output }, reader?.served), estimated: true };
}

/**
 * What a provider may charge for an attempt, if its caller does not pay; null: nothing, since it never got
 * the request, or refused it with an HTTP error. No tokenizer counts it, for another attempt's answer may be
 * on its way to the caller: output that the provider did not tell is a fourth of the characters.
 */
export function lostUse({ requestSent, status, reader, stream }: Omit<TokenEvidence, 'completed'>): LostUse | null {
  if (isWithoutUse({ requestSent, status, reader })) return null;
  const told = toldUsage(reader);
  const seen = stream ? Math.ceil((reader?.outputLength ?? 0) / charactersPerToken) : 0;
  if (!told) return { input: null, output: seen, estimated: true };
  // What comes in one piece tells its usage once, of the whole; a stream may have told it too early.
  const isWhole = !stream || (seen > 0 && told.output >= seen);
  return { input: told.input, output: Math.max(told.output, seen), estimated: !isWhole };
}

function isWithoutUse({ requestSent, status, reader }: Omit<TokenEvidence, 'completed' | 'stream'>): boolean {
  return !requestSent || (status !== null && !reader);
}
