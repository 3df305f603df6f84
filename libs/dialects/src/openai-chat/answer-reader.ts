import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerReader, AnswerState, UpstreamError, UpstreamTarget } from '../provider-dialect';
import { PlainAnswerReader } from './plain-answer-reader';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { ChatStreamReader } from './stream-reader';

const nothing = Buffer.alloc(0);
const openBrace = 0x7b;
const lessThan = 0x3c;

/**
 * Reads the answer to a streaming request. Its first byte decides what it is, because content types are not to be trusted here: a document in
 * braces is a whole completion (the provider ignored `stream`), a tag is an error page, all else is a stream.
 */
class StreamingAnswerReader implements AnswerReader {
  private reader: AnswerReader | null = null;
  private pageError: UpstreamError | null = null;

  constructor(
    private readonly providerName: string,
    private readonly includeUsage: boolean,
  ) {}

  get state(): AnswerState {
    return this.pageError ? 'failed' : (this.reader?.state ?? 'waiting');
  }

  get error(): UpstreamError | null {
    return this.pageError ?? this.reader?.error ?? null;
  }

  get usage(): TokenUsage | null {
    return this.reader?.usage ?? null;
  }

  get served(): TokenUsage['served'] {
    return this.reader?.served;
  }

  get answerId(): string | null {
    return this.reader?.answerId ?? null;
  }

  get hasContent(): boolean {
    return this.reader?.hasContent ?? false;
  }

  push(bytes: Uint8Array): Uint8Array {
    if (this.pageError) return nothing;
    if (this.reader) return this.reader.push(bytes);
    const start = bytes.findIndex((byte) => !isSpaceOrBom(byte));
    // White space and byte order marks mean nothing in any of the forms.
    if (start < 0) return nothing;
    this.reader = this.chooseReader(bytes[start]);
    return this.reader?.push(bytes.subarray(start)) ?? nothing;
  }

  end(): Uint8Array {
    if (this.pageError) return nothing;
    this.reader ??= new ChatStreamReader(this.providerName, this.includeUsage);
    return this.reader.end();
  }

  outputTokensSeen(): number {
    return this.reader?.outputTokensSeen() ?? 0;
  }

  get outputLength(): number {
    return this.reader?.outputLength ?? 0;
  }

  cut(usage: TokenUsage): Uint8Array {
    return this.reader?.cut?.(usage) ?? nothing;
  }

  /** Null for an error page. */
  private chooseReader(first: number | undefined): AnswerReader | null {
    if (first === openBrace)
      return new PlainAnswerReader(this.providerName, this.includeUsage ? 'chunks-with-usage' : 'chunks');
    if (first === lessThan) {
      this.pageError = brokenAnswer(this.providerName, 'malformed_answer', 'sent a web page in place of an answer');
      return null;
    }
    return new ChatStreamReader(this.providerName, this.includeUsage);
  }
}

/** The reader of an answer with a 2xx status. */
export function answerReader(target: UpstreamTarget, options: { includeUsage: boolean }): AnswerReader {
  const { name } = target.provider;
  return target.stream
    ? new StreamingAnswerReader(name, options.includeUsage)
    : new PlainAnswerReader(name, 'unchanged');
}

function isSpaceOrBom(byte: number): boolean {
  return (
    byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0xef || byte === 0xbb || byte === 0xbf
  );
}
