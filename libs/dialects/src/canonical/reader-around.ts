import type { TokenUsage } from '@tollgate/contracts';
import { lastPieces } from '../provider-dialect';
import type { AnswerReader, AnswerState, UpstreamError } from '../provider-dialect';

/**
 * Does all as another reader, for those that change a part of it, but that nobody cuts it from without: it
 * has no `cut`. Who watches a limit of the output (`LimitedReader`) cuts the reader within.
 */
export abstract class ReaderAround implements AnswerReader {
  constructor(protected readonly inner: AnswerReader) {}

  get usage(): TokenUsage | null {
    return this.inner.usage;
  }

  get state(): AnswerState {
    return this.inner.state;
  }

  get error(): UpstreamError | null {
    return this.inner.error;
  }

  get served(): TokenUsage['served'] {
    return this.inner.served;
  }

  get answerId(): string | null {
    return this.inner.answerId ?? null;
  }

  get isCut(): boolean {
    return this.inner.isCut ?? false;
  }

  get hasContent(): boolean {
    return this.inner.hasContent;
  }

  get outputLength(): number {
    return this.inner.outputLength ?? 0;
  }

  get gatheredBytes(): number {
    return this.inner.gatheredBytes ?? 0;
  }

  push(bytes: Uint8Array): Uint8Array {
    return this.inner.push(bytes);
  }

  end(): Uint8Array {
    return this.inner.end();
  }

  endInPieces(): readonly Uint8Array[] {
    return lastPieces(this.inner);
  }

  countSome(): boolean {
    return this.inner.countSome?.() ?? false;
  }

  outputTokensSeen(): number {
    return this.inner.outputTokensSeen();
  }
}
