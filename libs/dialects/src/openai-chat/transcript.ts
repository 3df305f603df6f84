import { SseTranscript } from '../canonical/sse-transcript';
import { JsonDepthError, JsonSyntaxError } from '../wire/json-cursor';
import type { SseEvent } from '../wire/sse-splitter';
import { ChunkReader } from './chunk-reader';
import { OutputTally } from './output-tally';

/** Counts what a caller of a chat completion stream was sent. Only whole events count; what is no chunk is passed over. */
export class ChatTranscript extends SseTranscript {
  private readonly tally = new OutputTally();
  private readonly chunks = new ChunkReader(this.tally);

  outputTokens(): number {
    return this.tally.tokens();
  }

  protected read(event: SseEvent): void {
    try {
      this.chunks.read(event.data, event.dataStart, event.dataEnd);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError || error instanceof JsonDepthError)) throw error;
    }
  }
}
