/**
 * `error.details.reason` where a change lacks the token of the session that its cookie names: somebody signed
 * out, or in, elsewhere.
 */
export const staleTokenReason = 'stale_token';
