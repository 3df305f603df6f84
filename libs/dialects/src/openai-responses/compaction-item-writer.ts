import { compactionItem } from './compacted-item';
import type { BlockEvent, ItemOutput } from './item-output';
import type { ItemEnding } from './output-items';

/** The item that stands for a conversation: its summary is told when it is whole, and never in part. */
export class CompactionItemWriter {
  private summary = '';
  private isClosed = false;

  constructor(private readonly output: ItemOutput) {}

  take(event: BlockEvent): void {
    if (event.type === 'text-delta') this.summary += event.text;
  }

  /** Half a summary is none: where the answer was cut off, no item is told. */
  close(ending: ItemEnding): boolean {
    if (this.isClosed || ending === 'incomplete' || this.summary === '') return this.isClosed;
    this.isClosed = true;
    const item = compactionItem(this.output.newId(), this.summary);
    this.output.done(this.output.add(item), item);
    return true;
  }
}
