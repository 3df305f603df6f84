import type { ServedTerms } from '@tollgate/contracts';
import type { Transcript } from '../surface-dialect';
import { maxEventBytes } from '../wire/answer-limits';
import { SseEventTooLongError, SseSplitter } from '../wire/sse-splitter';
import type { SseEvent } from '../wire/sse-splitter';

/**
 * Counts what a caller of a stream was sent. Only whole events count, and none after one that is too long to
 * be read.
 */
export abstract class SseTranscript implements Transcript {
  private readonly splitter = new SseSplitter(maxEventBytes);
  private isReadable = true;

  abstract outputTokens(): number;

  abstract served(providerId: string): ServedTerms | undefined;

  /** An event that has data. */
  protected abstract read(event: SseEvent): void;

  push(bytes: Uint8Array): void {
    if (!this.isReadable) return;
    try {
      this.splitter.push(bytes, (event) => {
        if (event.hasData) this.read(event);
      });
    } catch (error) {
      if (!(error instanceof SseEventTooLongError)) throw error;
      this.isReadable = false;
    }
  }
}
