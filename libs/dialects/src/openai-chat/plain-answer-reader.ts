import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerReader, AnswerState, UpstreamError } from '../provider-dialect';
import { completionToChunks } from './completion-to-chunks';
import { countCompletionTokens, errorOf, parseAnswer, readCompletion } from './completion';
import type { ChoiceKind, Completion } from './completion';
import { textIn } from '../wire/json-value';
import { maxAnswerBytes } from '../wire/answer-limits';
import { isBlank, WithoutLongTexts } from '../wire/without-long-texts';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { readErrorInAnswer } from './read-error';

const nothing = Buffer.alloc(0);
/** From this size on, in bytes, an answer is not parsed whole where that can be done without. */
const largeBytes = 1_048_576;

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
  /** Of a large one that passes, what need be parsed: nobody needs the texts, if it tells its usage. */
  private short: WithoutLongTexts | null = null;
  private completion: Completion | null = null;
  /** The completion is without its long texts. */
  private isShort = false;

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
    else this.keep(bytes);
    return nothing;
  }

  end(): Uint8Array {
    const pieces = this.endInPieces();
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  }

  endInPieces(): readonly Uint8Array[] {
    if (this.state !== 'waiting') return [];
    const { short: kept } = this;
    const short = kept?.end() ?? null;
    this.short = null;
    if (short ? isBlank(short) : this.parts.every(isBlank))
      return this.fail(brokenAnswer(this.providerName, 'empty_answer', 'sent an empty answer'));
    const value = this.read(short, kept?.hasGap === true);
    const error = errorOf(value);
    if (error !== null) return this.fail(readErrorInAnswer(error, this.providerName));
    this.completion = readCompletion(value, this.kind);
    if (!this.completion)
      return this.fail(
        brokenAnswer(this.providerName, 'malformed_answer', `sent an answer that is no ${this.kind} completion`),
      );
    this.state = 'complete';
    if (this.form === 'unchanged') return this.parts;
    this.parts.length = 0;
    // A chunk of a text completion has the form of the whole, but stands on one line.
    const written =
      this.kind === 'text'
        ? `data: ${JSON.stringify(this.completion.body)}\n\ndata: [DONE]\n\n`
        : completionToChunks(this.completion, this.form === 'chunks-with-usage');
    return [Buffer.from(written)];
  }

  outputTokensSeen(): number {
    if (!this.completion) return 0;
    return countCompletionTokens((this.isShort && readCompletion(this.whole(), this.kind)) || this.completion);
  }

  /** As it comes, so that no turn of the event loop has all of it. */
  private keep(bytes: Uint8Array): void {
    this.parts.push(bytes);
    if (this.form !== 'unchanged' || this.length <= largeBytes) return;
    if (this.short) return this.short.take(bytes);
    this.short = new WithoutLongTexts();
    for (const part of this.parts) this.short.take(part);
  }

  private read(short: Buffer | null, hasGap: boolean): unknown {
    if (!short) return this.whole();
    const value = parseAnswer(short);
    if (!hasGap) return value;
    this.isShort = readCompletion(value, this.kind)?.usage != null;
    return this.isShort ? value : this.whole();
  }

  private whole(): unknown {
    return parseAnswer(Buffer.concat(this.parts, this.length));
  }

  private fail(error: UpstreamError): [] {
    this.state = 'failed';
    this.error = error;
    this.parts.length = 0;
    this.short = null;
    return [];
  }
}
