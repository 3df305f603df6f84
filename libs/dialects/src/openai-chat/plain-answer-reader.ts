import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerReader, AnswerState, UpstreamError } from '../provider-dialect';
import { completionToChunks } from './completion-to-chunks';
import { countCompletionTokens, errorOf, parseAnswer, readCompletion } from './completion';
import type { ChoiceKind, Completion } from './completion';
import { textIn } from '../wire/json-value';
import { maxAnswerBytes } from '../wire/answer-limits';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { readErrorInAnswer } from './read-error';

const nothing = Buffer.alloc(0);

/** What to make of a whole completion. chunks: the caller wanted a stream, and the provider would not. */
type PlainAnswerForm = 'unchanged' | 'chunks' | 'chunks-with-usage';

/**
 * Reads an answer that is one JSON document. Its bytes are kept until it is whole, then returned as they
 * came, or as a stream.
 */
export class PlainAnswerReader implements AnswerReader {
  state: AnswerState = 'waiting';
  error: UpstreamError | null = null;
  private readonly parts: Uint8Array[] = [];
  private length = 0;
  private completion: Completion | null = null;

  constructor(
    private readonly providerName: string,
    private readonly form: PlainAnswerForm,
    private readonly kind: ChoiceKind = 'chat',
  ) {}

  get usage(): TokenUsage | null {
    return this.completion?.usage ?? null;
  }

  get answerId(): string | null {
    return textIn(this.completion?.body, 'id');
  }

  get hasContent(): boolean {
    return this.completion !== null;
  }

  push(bytes: Uint8Array): Uint8Array {
    if (this.state === 'failed') return nothing;
    this.length += bytes.length;
    if (this.length > maxAnswerBytes)
      this.fail(
        brokenAnswer(this.providerName, 'answer_too_large', `sent an answer of more than ${maxAnswerBytes} bytes`),
      );
    else this.parts.push(bytes);
    return nothing;
  }

  end(): Uint8Array {
    if (this.state !== 'waiting') return nothing;
    const answer = Buffer.concat(this.parts, this.length);
    this.parts.length = 0;
    if (isBlank(answer)) return this.fail(brokenAnswer(this.providerName, 'empty_answer', 'sent an empty answer'));
    const value = parseAnswer(answer);
    const error = errorOf(value);
    if (error !== null) return this.fail(readErrorInAnswer(error, this.providerName));
    this.completion = readCompletion(value, this.kind);
    if (!this.completion)
      return this.fail(
        brokenAnswer(this.providerName, 'malformed_answer', `sent an answer that is no ${this.kind} completion`),
      );
    this.state = 'complete';
    if (this.form === 'unchanged') return answer;
    // A chunk of a text completion has the form of the whole, but stands on one line.
    return this.kind === 'text'
      ? Buffer.from(`data: ${JSON.stringify(this.completion.body)}\n\ndata: [DONE]\n\n`)
      : Buffer.from(completionToChunks(this.completion, this.form === 'chunks-with-usage'));
  }

  outputTokensSeen(): number {
    return this.completion ? countCompletionTokens(this.completion) : 0;
  }

  private fail(error: UpstreamError): Uint8Array {
    this.state = 'failed';
    this.error = error;
    this.parts.length = 0;
    return nothing;
  }
}

/**
 * Without a copy of the whole as text. Some providers send spaces or newlines while they think, and nothing
 * else.
 */
function isBlank(answer: Buffer): boolean {
  return answer.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}
