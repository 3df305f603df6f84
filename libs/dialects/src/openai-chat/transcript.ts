import type { Transcript } from '../surface-dialect';
import { JsonDepthError, JsonSyntaxError } from '../wire/json-cursor';
import { SseEventTooLongError, SseSplitter } from '../wire/sse-splitter';
import type { SseEvent } from '../wire/sse-splitter';
import { ChunkReader } from './chunk-reader';
import { maxEventBytes } from '../wire/answer-limits';
import { OutputTally } from './output-tally';

/** Counts what a caller of a chat completion stream was sent. Only whole events count; what is no chunk is passed over. */
export class ChatTranscript implements Transcript {
  private readonly splitter = new SseSplitter(maxEventBytes);
  private readonly tally = new OutputTally();
  private readonly chunks = new ChunkReader(this.tally);
  private isReadable = true;

  push(bytes: Uint8Array): void {
    if (!this.isReadable) return;
    try {
      this.splitter.push(bytes, (event) => this.read(event));
    } catch (error) {
      if (!(error instanceof SseEventTooLongError)) throw error;
      this.isReadable = false;
    }
  }

  outputTokens(): number {
    return this.tally.tokens();
  }

  private read(event: SseEvent): void {
    if (!event.hasData) return;
    try {
      this.chunks.read(event.data, event.dataStart, event.dataEnd);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError || error instanceof JsonDepthError)) throw error;
    }
  }
}
