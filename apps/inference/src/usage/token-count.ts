import { noUsage, type TokenUsage } from '@tollgate/contracts';
import type { AnswerReader } from '@tollgate/dialects';

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

const nothing: TokenCount = { usage: noUsage, estimated: false };

/**
 * The tokens that an attempt used. The provider's own count is the truth of a completed answer, but of one that
 * was cut at its limit, of which the caller got less. An answer that was cut off or cannot be
 * read has the provider's input count if it told one, else the tokenizer's, and the output that arrived. A request that the
 * provider never got, or refused with an HTTP error, used nothing.
 */
export function countTokens(evidence: TokenEvidence, countInput: () => number): TokenCount {
  const { reader, completed } = evidence;
  const told = reader?.usage ?? null;
  if (completed && told) return { usage: told, estimated: reader?.isCut ?? false };
  if (!completed && isWithoutUse(evidence)) return nothing;
  const output = completed || evidence.stream ? (reader?.outputTokensSeen() ?? 0) : 0;
  if (!told) {
    const served = reader?.served;
    return { usage: { ...noUsage, input: countInput(), output, ...(served && { served }) }, estimated: true };
  }
  // A count that covers all that arrived was told at the end of the answer: only its closing was cut off.
  if (output > 0 && told.output >= output) return { usage: told, estimated: false };
  return { usage: { ...told, output }, estimated: true };
}

function isWithoutUse({ requestSent, status, reader }: TokenEvidence): boolean {
  return !requestSent || (status !== null && !reader);
}
