import { EventTally } from '../canonical/event-tally';
import { SseTranscript } from '../canonical/sse-transcript';
import { isRecord, parseJson, recordIn } from '../wire/json-value';
import type { SseEvent } from '../wire/sse-splitter';
import { BlockReader } from './block-reader';

/** Counts what a caller of a messages stream was sent. Only whole events count; what is none of this dialect is passed over. */
export class MessagesTranscript extends SseTranscript {
  private readonly tally = new EventTally();
  /** The block that is open (a messages stream has one at a time) and how many began before it. */
  private reader: BlockReader | null = null;
  private blocks = 0;

  outputTokens(): number {
    return this.tally.tokens();
  }

  protected read(event: SseEvent): void {
    const value = parseJson(event.data.toString('utf8', event.dataStart, event.dataEnd));
    if (!isRecord(value)) return;
    if (value.type === 'content_block_start') {
      this.reader = new BlockReader(this.blocks++, recordIn(value, 'content_block'), null);
      // Names of calls count, ids do not, so none needs to be made.
      for (const piece of this.reader.open(() => '')) this.tally.add(piece);
    } else if (value.type === 'content_block_delta') {
      for (const piece of this.reader?.delta(recordIn(value, 'delta')) ?? []) this.tally.add(piece);
    }
  }
}
