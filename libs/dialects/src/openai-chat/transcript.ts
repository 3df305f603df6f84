import type { ServedTerms } from '@tollgate/contracts';
import { served, servedTier } from '../canonical/served-terms';
import { SseTranscript } from '../canonical/sse-transcript';
import { JsonDepthError, JsonSyntaxError } from '../wire/json-cursor';
import { parseJson } from '../wire/json-value';
import type { SseEvent } from '../wire/sse-splitter';
import { ChunkReader } from './chunk-reader';
import { OutputTally } from './output-tally';

/**
 * Counts what a caller of a chat completion stream was sent. Only whole events count; what is no chunk is
 * passed over.
 */
export class ChatTranscript extends SseTranscript {
  private readonly tally = new OutputTally();
  private readonly chunks = new ChunkReader(this.tally);

  outputTokens(): number {
    return this.tally.tokens();
  }

  served(): ServedTerms | undefined {
    return served({ tier: servedTier(parseJson(this.chunks.tier)) }).served;
  }

  protected read(event: SseEvent): void {
    try {
      this.chunks.read(event.data, event.dataStart, event.dataEnd);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError || error instanceof JsonDepthError)) throw error;
    }
  }
}
