import type { Attempt } from '@tollgate/contracts';
import type { UpstreamError } from '@tollgate/dialects';

const longest = 300;
/** Servers quote what they could not read; the caller's own text does not belong into the ledger. */
const longQuotes = /"[^"]{60,}"|`[^`]{60,}`|\u201c[^\u201d]{60,}\u201d/g;

/**
 * The words for the record of an attempt that failed, on one line each. What a provider says of our account
 * or our settings is for administrators; everything else is for the caller too, in the provider's own words
 * where it said any.
 */
export function attemptWords({ fault, message, detail }: UpstreamError): Pick<Attempt, 'reason' | 'detail'> {
  if (detail === undefined) return { reason: kept(message) };
  return fault === 'ours' ? { reason: kept(message), detail: kept(detail) } : { reason: kept(detail) };
}

function kept(text: string): string {
  const clean = text.replaceAll(longQuotes, '"…"').replaceAll(/\s+/g, ' ').trim();
  return clean.length > longest ? `${clean.slice(0, longest)}…` : clean;
}
