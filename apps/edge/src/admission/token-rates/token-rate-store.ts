/**
 * What became of asking for the tokens of one request. Times in milliseconds from now; `retryAfterMs` null:
 * so many cannot be admitted before the edges count together again.
 * `settle` says what it used, once; null: unknown, so that all that it took stays counted.
 */
export type TokensTaken =
  | { readonly admitted: true; settle(usedTokens: number | null): void }
  | { readonly admitted: false; readonly retryAfterMs: number | null };

/** How a limit of tokens stands. `resetMs`: until the whole of it is free again. */
export interface TokenRateState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

/**
 * Counts tokens over a rolling 60 seconds, of each limit by its name: what requests took in any such span is
 * at most `limit`, and none is refused while there is room for it. A request takes an upper bound when it is
 * let in, and gives back what it did not use when it ends. Its tokens count from the moment when it was let
 * in. A refusal takes nothing. A changed limit counts from the next request on.
 */
export abstract class TokenRateStore {
  abstract take(name: string, limit: number, tokens: number): TokensTaken | Promise<TokensTaken>;
  /** How a limit stands, as far as this edge knows. */
  abstract state(name: string, limit: number): TokenRateState;
}
