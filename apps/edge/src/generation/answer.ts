import type { GatewayError, GenerationHead } from '@tollgate/contracts';
import type { ToldCost } from '@tollgate/dialects/surface';

/** How the answer of a generation is handed to its caller. `headers` are ready for the caller. */
export interface Answer {
  head(head: GenerationHead): void;
  data(bytes: Uint8Array): void;
  /**
   * `cost`: what the caller is to be told that it pays; absent: it asked for nothing of that kind. A promise:
   * something must be done before, and it resolves when the end is told.
   */
  end(cost?: ToldCost): void | Promise<void>;
  /** `headers` say what is known of the attempt, for an answer that has not begun. */
  fail(error: GatewayError, headers: Record<string, string>): void;
  /** Called about once a second. */
  tick(nowMs: number): void;
}
