import type { TokenUsage } from '@tollgate/contracts';
import { lastPieces } from '../provider-dialect';
import type { AnswerReader, AnswerState, UpstreamError } from '../provider-dialect';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { isRunOfOne } from '../wire/run-of-one';

/** What an answer turns out to be. */
export type AnswerForm = 'document' | 'stream';

const nothing = Buffer.alloc(0);
const openBrace = 0x7b;
const openBracket = 0x5b;
const lessThan = 0x3c;

/**
 * Lets the first byte decide what an answer is, because content types are not to be trusted here: a document
 * in braces or brackets is a whole answer (some providers ignore `stream`), a tag is an error page, all else
 * is a stream.
 */
export class SniffingReader implements AnswerReader {
  private reader: AnswerReader | null = null;
  private pageError: UpstreamError | null = null;

  /** `asked` is what an empty answer is taken for. */
  constructor(
    private readonly providerName: string,
    private readonly asked: AnswerForm,
    private readonly readerOf: (form: AnswerForm) => AnswerReader,
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
    const start = startOf(bytes);
    // White space and byte order marks mean nothing in any of the forms.
    if (start < 0) return nothing;
    if (bytes[start] === lessThan) return this.refusePage();
    this.reader = this.readerOf(bytes[start] === openBrace || bytes[start] === openBracket ? 'document' : 'stream');
    return this.reader.push(bytes.subarray(start));
  }

  end(): Uint8Array {
    if (this.pageError) return nothing;
    this.reader ??= this.readerOf(this.asked);
    return this.reader.end();
  }

  endInPieces(): readonly Uint8Array[] {
    if (this.pageError) return [];
    this.reader ??= this.readerOf(this.asked);
    return lastPieces(this.reader);
  }

  countSome(): boolean {
    return this.reader?.countSome?.() ?? false;
  }

  outputTokensSeen(): number {
    return this.reader?.outputTokensSeen() ?? 0;
  }

  get outputLength(): number {
    return this.reader?.outputLength ?? 0;
  }

  get gatheredBytes(): number {
    return this.reader?.gatheredBytes ?? 0;
  }

  cut(usage: TokenUsage): Uint8Array {
    return this.reader?.cut?.(usage) ?? nothing;
  }

  private refusePage(): Uint8Array {
    this.pageError = brokenAnswer(this.providerName, 'malformed_answer', 'sent a web page in place of an answer');
    return nothing;
  }
}

/** Where white space and byte order marks end; -1: nowhere. */
function startOf(bytes: Uint8Array): number {
  if (isRunOfOne(bytes) && isSpaceOrBom(bytes[0] ?? 0)) return -1;
  for (let at = 0; at < bytes.length; at++) if (!isSpaceOrBom(bytes[at] ?? 0)) return at;
  return -1;
}

function isSpaceOrBom(byte: number): boolean {
  return (
    byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0xef || byte === 0xbb || byte === 0xbf
  );
}
