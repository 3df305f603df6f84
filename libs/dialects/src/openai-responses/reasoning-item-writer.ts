import type { BlockEvent, ItemOutput } from './item-output';
import { reasoningItem, summaryPart } from './output-items';

/** A reasoning item: its text is shown as a summary, what seals it as its encrypted content. */
export class ReasoningItemWriter {
  private readonly id: string;
  private readonly index: number;
  private text: string | null = null;

  constructor(
    private readonly output: ItemOutput,
    id: string | undefined,
  ) {
    this.id = id ?? `rs_${output.newId()}`;
    this.index = output.add(reasoningItem(this.id, '', undefined));
  }

  take(event: BlockEvent): void {
    if (event.type === 'reasoning-delta') this.extend(event.text);
    if (event.type !== 'reasoning-end') return;
    if (this.text !== null) {
      this.send('response.reasoning_summary_text.done', { text: this.text });
      this.send('response.reasoning_summary_part.done', { part: summaryPart(this.text) });
    }
    this.output.done(this.index, reasoningItem(this.id, this.text ?? '', event.seal));
  }

  private extend(delta: string): void {
    if (delta === '') return;
    if (this.text === null) this.send('response.reasoning_summary_part.added', { part: summaryPart('') });
    this.text = (this.text ?? '') + delta;
    this.send('response.reasoning_summary_text.delta', { delta });
  }

  private send(type: string, members: object): void {
    this.output.send(type, { item_id: this.id, output_index: this.index, summary_index: 0, ...members });
  }
}
