import { parseRequestJson } from '@tollgate/dialects/surface';
import type { SurfaceRequest } from '@tollgate/dialects/surface';
import type { Operation } from './operations';

/** No text has more bytes for a token: runs of spaces and of one sign come near to it, prose has four. */
export const mostBytesPerToken = 16;

/** What edge must know of a body that was read and found sane. */
export interface SentRequest {
  readonly read: SurfaceRequest;
  /** See SurfaceDialect.keepsState. */
  keepsState(): boolean;
  /** The body, parsed. */
  parsed(): unknown;
  /** Input tokens by tokenizer, or as near to that as is affordable. */
  countInputTokens(): number;
}

/** What is told of a body by whoever parsed it elsewhere. */
export interface SentFacts {
  readonly read: SurfaceRequest;
  readonly keepsState: boolean;
}

/**
 * Parses a body here and now. `quotaTokens`: the whole quota of its key, null: unlimited.
 * @throws GatewayError 400 saying what is wrong with it, or that its text alone is more than the quota.
 */
export function readSent(operation: Operation, bytes: Uint8Array, quotaTokens: number | null): SentRequest {
  const parsed = parseRequestJson(bytes, quotaTokens === null ? Infinity : quotaTokens * mostBytesPerToken);
  return {
    read: operation.readRequest(parsed, bytes.length),
    keepsState: () => operation.surface.keepsState(parsed),
    parsed: () => parsed,
    countInputTokens: () => operation.surface.countInputTokens(parseRequestJson(bytes)),
  };
}

/** A body that was parsed elsewhere. It is parsed here too where somebody must look through it, and its tokens are not counted but estimated. */
export function sentElsewhere({ read, keepsState }: SentFacts, bytes: Uint8Array): SentRequest {
  let parsed: unknown;
  return {
    read,
    keepsState: () => keepsState,
    parsed: () => (parsed ??= parseRequestJson(bytes)),
    countInputTokens: () => read.inputTokensEstimate,
  };
}
