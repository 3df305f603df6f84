import { noUsage, type ServedTerms, type TokenUsage } from '@tollgate/contracts';
import type { AnswerReader } from '@tollgate/dialects';

/**
 * Of what one request uses no number is larger: the widest models take some ten million tokens at once, and
 * tools of a provider have them sample some hundred times. Sums of nine million such requests are exact;
 * those of two that tell 2^53 are not.
 */
const most = 1_000_000_000;

/**
 * What a provider told of the tokens of an answer. Null where it told nothing, or a number that no request
 * can have used: nothing else that it told is believed then.
 */
export function toldUsage(reader: Pick<AnswerReader, 'usage'> | null): TokenUsage | null {
  const usage = reader?.usage ?? null;
  return usage === null || isBeyondBelief(usage) ? null : usage;
}

/** What else of its price an answer told; undefined where that is nothing, or not to be believed either. */
export function toldTerms(reader: Pick<AnswerReader, 'served'> | null): ServedTerms | undefined {
  const served = reader?.served;
  return served && isBeyondBelief({ ...noUsage, served }) ? undefined : served;
}

/** Whether a count of tokens, or of uses of a tool, is larger than that of any request. */
export function isBeyondBelief({ served, ...counts }: TokenUsage): boolean {
  // Parts are counted in the whole, too.
  const { units, imageInput = 0, videoInput = 0, imageOutput = 0 } = served ?? {};
  const all = [...Object.values(counts), ...Object.values(units ?? {}), imageInput, videoInput, imageOutput];
  return all.some((count) => count > most);
}
