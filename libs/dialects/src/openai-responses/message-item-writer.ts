import type { Citation, TokenLogprob } from '../canonical/generation-event';
import type { BlockEvent, ItemOutput } from './item-writers';
import { annotationOf, logprobOf, messageItem, refusalPart, textPart } from './output-items';
import type { ItemEnding } from './output-items';

interface OpenPart {
  kind: 'text' | 'refusal';
  index: number;
  text: string;
  /** Told when the text is whole: until then nobody knows where it ends. */
  citations: Citation[];
  annotations: object[];
  logprobs: TokenLogprob[];
  isOpen: boolean;
}

/** A message: every block of text or refusal is one of its parts. */
export class MessageItemWriter {
  private readonly id: string;
  private readonly index: number;
  private readonly parts = new Map<number, OpenPart>();
  private isClosed = false;

  constructor(private readonly output: ItemOutput) {
    this.id = `msg_${output.newId()}`;
    this.index = output.add(messageItem(this.id, 'in_progress', []));
  }

  take(event: BlockEvent): void {
    const part = this.parts.get(event.block);
    switch (event.type) {
      case 'text-start':
        return this.begin(event.block, 'text');
      case 'refusal-start':
        return this.begin(event.block, 'refusal');
      case 'text-delta':
        return part && this.extend(part, event.text, event.logprobs ?? []);
      case 'refusal-delta':
        return part && this.extend(part, event.text, []);
      case 'citation':
        part?.citations.push(event.citation);
        return;
      case 'text-end':
      case 'refusal-end':
        return part && this.end(part);
      default:
        return;
    }
  }

  /** Ends the item once all its parts have ended; true when it is over. */
  close(ending: ItemEnding): boolean {
    const parts = [...this.parts.values()];
    if (this.isClosed || parts.some(({ isOpen }) => isOpen)) return this.isClosed;
    this.isClosed = true;
    this.output.done(this.index, messageItem(this.id, ending, parts.map(partOf)));
    return true;
  }

  private begin(block: number, kind: OpenPart['kind']): void {
    const part: OpenPart = {
      kind,
      index: this.parts.size,
      text: '',
      citations: [],
      annotations: [],
      logprobs: [],
      isOpen: true,
    };
    this.parts.set(block, part);
    this.send('response.content_part.added', part, { part: partOf(part) });
  }

  private extend(part: OpenPart, delta: string, logprobs: readonly TokenLogprob[]): void {
    part.text += delta;
    part.logprobs.push(...logprobs);
    if (part.kind === 'refusal') return this.send('response.refusal.delta', part, { delta });
    this.send('response.output_text.delta', part, { delta, logprobs: logprobs.map(logprobOf) });
  }

  private annotate(part: OpenPart, citation: Citation): void {
    const annotation = annotationOf(citation, part.text.length);
    if (annotation === null) return;
    const place = part.annotations.push(annotation) - 1;
    this.send('response.output_text.annotation.added', part, { annotation_index: place, annotation });
  }

  private end(part: OpenPart): void {
    part.isOpen = false;
    for (const citation of part.citations) this.annotate(part, citation);
    const { kind, text, logprobs } = part;
    if (kind === 'refusal') this.send('response.refusal.done', part, { refusal: text });
    else this.send('response.output_text.done', part, { text, logprobs: logprobs.map(logprobOf) });
    this.send('response.content_part.done', part, { part: partOf(part) });
  }

  private send(type: string, { index }: OpenPart, members: object): void {
    this.output.send(type, { item_id: this.id, output_index: this.index, content_index: index, ...members });
  }
}

function partOf({ kind, text, annotations, logprobs }: OpenPart): object {
  return kind === 'refusal' ? refusalPart(text) : textPart(text, annotations, logprobs);
}
