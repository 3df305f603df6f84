/** Hears of what the agreement of edges changes for refusals that are remembered. */
export interface AgreementListener {
  changed(): void;
  gaveBack(keyId: string): void;
  /**
   * Puts into Valkey what this edge took without it, of limits that the agreement does not count.
   * @throws Error when Valkey does not answer in time.
   */
  joining(): Promise<void>;
}
