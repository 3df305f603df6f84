import type { GatewayError, GenerationHead } from '@tollgate/contracts';
import { isRecord, type GatheredAnswer, type ToldCost } from '@tollgate/dialects/surface';
import type { Answer } from '../generation/answer';

/**
 * Hands an answer on to its caller, and gathers what it comes to beside that. What cannot be gathered
 * disturbs nobody.
 */
export class LoggedAnswer implements Answer {
  /** What the caller was told instead of the answer, or at the end of a part of it. */
  error: GatewayError | null = null;
  private isReadable = true;

  constructor(
    private readonly answer: Answer,
    private readonly gathered: GatheredAnswer,
  ) {}

  get isTruncated(): boolean {
    return this.gathered.isTruncated || !this.isReadable;
  }

  /** What came, with the error if there was one. Null: nothing came that can be read. */
  content(): unknown {
    const came = this.gathered.answer();
    if (!this.error) return came;
    return isRecord(came) ? { ...came, ...this.error.body } : this.error.body;
  }

  head(head: GenerationHead): void {
    this.answer.head(head);
  }

  data(bytes: Uint8Array): void {
    this.answer.data(bytes);
    if (!this.isReadable) return;
    try {
      this.gathered.push(bytes);
    } catch {
      this.isReadable = false;
    }
  }

  end(cost?: ToldCost): void | Promise<void> {
    return this.answer.end(cost);
  }

  fail(error: GatewayError, headers: Record<string, string>): void {
    this.error = error;
    this.answer.fail(error, headers);
  }

  tick(nowMs: number): void {
    this.answer.tick(nowMs);
  }
}
