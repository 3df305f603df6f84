import type { ServedTerms } from '@tollgate/contracts';
import { EventTally } from '../canonical/event-tally';
import { served } from '../canonical/served-terms';
import { SseTranscript } from '../canonical/sse-transcript';
import { isRecord, parseJson, recordIn } from '../wire/json-value';
import type { SseEvent } from '../wire/sse-splitter';
import { BlockReader } from './block-reader';
import { HostedUses } from './hosted-uses';
import { UsageReader } from './read-usage';

/**
 * Counts what a caller of a messages stream was sent. Only whole events count; what is none of this dialect
 * is passed over.
 */
export class MessagesTranscript extends SseTranscript {
  private readonly tally = new EventTally();
  /** The block that is open (a messages stream has one at a time) and how many began before it. */
  private reader: BlockReader | null = null;
  private blocks = 0;
  private readonly hosted = new HostedUses();
  private told: ServedTerms = {};

  outputTokens(): number {
    return this.tally.tokens();
  }

  served(): ServedTerms | undefined {
    return served({ units: this.hosted.units, ...this.told }).served;
  }

  protected read(event: SseEvent): void {
    const value = parseJson(event.data.toString('utf8', event.dataStart, event.dataEnd));
    if (!isRecord(value)) return;
    if (value.type === 'message_start') {
      this.told = new UsageReader('').add(recordIn(value, 'message').usage)?.served ?? {};
    } else if (value.type === 'content_block_start') {
      const block = recordIn(value, 'content_block');
      this.hosted.note(block);
      this.reader = new BlockReader(this.blocks++, block, null);
      // Names of calls count, ids do not, so none needs to be made.
      for (const piece of this.reader.open(() => '')) this.tally.add(piece);
    } else if (value.type === 'content_block_delta') {
      for (const piece of this.reader?.delta(recordIn(value, 'delta')) ?? []) this.tally.add(piece);
    }
  }
}
