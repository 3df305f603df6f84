import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerReader, AnswerState, UpstreamError } from '../provider-dialect';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { maxAnswerBytes } from '../wire/answer-limits';
import { isRecord, recordIn, textIn } from '../wire/json-value';
import { KeptDocument } from '../wire/kept-document';
import { isBlank } from '../wire/without-long-texts';
import { countCompletionTokens, errorOf, parseAnswer, readCompletion } from './completion';
import type { ChoiceKind, Completion } from './completion';
import { withIdsOfCalls } from './mended-calls';
import { readErrorInAnswer } from './read-error';

const done = 'data: [DONE]\n\n';

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
  private readonly document: KeptDocument;
  private completion: Completion | null = null;
  /** The completion is without its long texts. */
  private isShort = false;

  constructor(
    private readonly providerName: string,
    private readonly form: PlainAnswerForm,
    private readonly kind: ChoiceKind = 'chat',
  ) {
    // Of one that passes nobody needs the texts, if it tells its usage.
    this.document = new KeptDocument(form === 'unchanged');
  }

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
    if (this.document.length + bytes.length > maxAnswerBytes)
      this.fail(
        brokenAnswer(this.providerName, 'answer_too_large', `sent an answer of more than ${maxAnswerBytes} bytes`),
      );
    else this.document.keep(bytes);
    return nothing;
  }

  end(): Uint8Array {
    const pieces = this.endInPieces();
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  }

  endInPieces(): readonly Uint8Array[] {
    if (this.state !== 'waiting') return [];
    const short = this.document.shortened();
    if (short ? isBlank(short.bytes) : this.document.isBlank)
      return this.fail(brokenAnswer(this.providerName, 'empty_answer', 'sent an empty answer'));
    const value = short ? this.readShort(short) : this.whole();
    const error = errorOf(value);
    if (error !== null) return this.fail(readErrorInAnswer(error, this.providerName));
    this.completion = readCompletion(value, this.kind);
    if (!this.completion)
      return this.fail(
        brokenAnswer(this.providerName, 'malformed_answer', `sent an answer that is no ${this.kind} completion`),
      );
    this.state = 'complete';
    const mended = this.kind === 'chat' ? withIdsOfCalls(this.completion.body) : null;
    if (this.form === 'unchanged') return mended ? this.withIds() : this.document.pieces();
    this.document.clear();
    const completion = (mended && readCompletion(mended)) ?? this.completion;
    // A chunk of a text completion has the form of the whole, but stands on one line.
    const written =
      this.kind === 'text'
        ? `data: ${JSON.stringify(completion.body)}\n\ndata: [DONE]\n\n`
        : completionToChunks(completion, this.form === 'chunks-with-usage');
    return [Buffer.from(written)];
  }

  outputTokensSeen(): number {
    if (!this.completion) return 0;
    return countCompletionTokens((this.isShort && readCompletion(this.whole(), this.kind)) || this.completion);
  }

  /** OpenAI's clients take no calls without. */
  private withIds(): readonly Uint8Array[] {
    const written = Buffer.from(JSON.stringify(withIdsOfCalls(this.whole())));
    this.document.clear();
    return [written];
  }

  private readShort({ bytes, hasGap }: { bytes: Buffer; hasGap: boolean }): unknown {
    const value = parseAnswer(bytes);
    if (!hasGap) return value;
    this.isShort = readCompletion(value, this.kind)?.usage != null;
    return this.isShort ? value : this.whole();
  }

  private whole(): unknown {
    return parseAnswer(this.document.whole());
  }

  private fail(error: UpstreamError): [] {
    this.state = 'failed';
    this.error = error;
    this.document.clear();
    return [];
  }
}

/**
 * A whole completion as the stream a caller asked for: one chunk with the message and one with the finish for
 * every choice, the usage if it was asked for, and [DONE].
 * For providers that ignore `stream`.
 */
function completionToChunks(completion: Completion, includeUsage: boolean): string {
  const { choices: _choices, usage, object: _object, ...head } = completion.body;
  const noUsage = includeUsage ? { usage: null } : {};
  const chunk = (choices: unknown[], rest: object = noUsage) =>
    event({ ...head, object: 'chat.completion.chunk', choices, ...rest });
  let stream = '';
  for (const [position, choice] of completion.choices.entries()) {
    const { message: _message, finish_reason: finishReason, index = position, ...rest } = choice;
    stream += chunk([{ ...rest, index, delta: toDelta(recordIn(choice, 'message')), finish_reason: null }]);
    stream += chunk([{ index, delta: {}, finish_reason: finishReason ?? 'stop' }]);
  }
  if (includeUsage && isRecord(usage)) stream += chunk([], { usage });
  return stream + done;
}

/** In a stream every tool call carries its index. */
function toDelta(message: Record<string, unknown>): Record<string, unknown> {
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls)) return message;
  return { ...message, tool_calls: calls.map((call: unknown, index) => (isRecord(call) ? { index, ...call } : call)) };
}

function event(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
