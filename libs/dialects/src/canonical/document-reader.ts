import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerReader, AnswerState, UpstreamError } from '../provider-dialect';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { maxAnswerBytes } from '../wire/answer-limits';

/**
 * What a whole answer comes to: the caller's bytes, or why it is none. `usage` null: the provider told none.
 */
export type ReadDocument = { bytes: Uint8Array; usage: TokenUsage | null } | { error: UpstreamError };

const nothing = Buffer.alloc(0);

/**
 * Gathers an answer that is one JSON document without text of a model (vectors, scores), and has it read when
 * it is whole.
 */
export class DocumentReader implements AnswerReader {
  state: AnswerState = 'waiting';
  error: UpstreamError | null = null;
  usage: TokenUsage | null = null;
  private parts: Uint8Array[] = [];
  private length = 0;

  constructor(
    private readonly providerName: string,
    private readonly read: (document: Buffer) => ReadDocument,
  ) {}

  get hasContent(): boolean {
    return this.state === 'complete';
  }

  push(bytes: Uint8Array): Uint8Array {
    if (this.state === 'failed') return nothing;
    this.length += bytes.length;
    if (this.length <= maxAnswerBytes) this.parts.push(bytes);
    else this.fail(brokenAnswer(this.providerName, 'answer_too_large', `sent more than ${maxAnswerBytes} bytes`));
    return nothing;
  }

  end(): Uint8Array {
    if (this.state === 'failed') return nothing;
    if (this.length === 0) return this.fail(brokenAnswer(this.providerName, 'empty_answer', 'sent an empty answer'));
    const answer = this.read(Buffer.concat(this.parts, this.length));
    if ('error' in answer) return this.fail(answer.error);
    this.state = 'complete';
    this.usage = answer.usage;
    return answer.bytes;
  }

  /** Such answers have no output tokens. */
  outputTokensSeen(): number {
    return 0;
  }

  private fail(error: UpstreamError): Uint8Array {
    this.state = 'failed';
    this.error = error;
    this.parts = [];
    return nothing;
  }
}
