import type { Citation, GenerationEvent, TokenLogprob } from '../canonical/generation-event';
import { isRecord, recordIn } from '../wire/json-value';

interface OpenBlock {
  kind: 'text' | 'reasoning';
  block: number;
  /** Where the block stands in Cohere's own count. A plan has no number. */
  index: number | null;
}

/**
 * Reads content, plans and calls as blocks. A text is ended only by what comes next, so that citations behind
 * its end still find it open. Calls have a count of their own, and end when they are told to.
 */
export class BlockReader {
  private open: OpenBlock | null = null;
  private readonly calls = new Map<number, number>();
  private blocks = 0;

  /** Text, a thought or a piece of a plan (`index` null). */
  say(
    kind: OpenBlock['kind'],
    index: number | null,
    text: string,
    logprobs: readonly TokenLogprob[] = [],
  ): GenerationEvent[] {
    const { at, events } = this.begin(kind, index);
    if (text === '' && logprobs.length === 0) return events;
    if (kind === 'reasoning') return [...events, { type: 'reasoning-delta', ...at, text }];
    return [...events, { type: 'text-delta', ...at, text, ...(logprobs.length > 0 && { logprobs: [...logprobs] }) }];
  }

  call(index: number, id: string, name: string): GenerationEvent[] {
    const closed = [...this.endSaid(), ...this.endCall(index)];
    const block = this.blocks++;
    this.calls.set(index, block);
    return [...closed, { type: 'tool-call-start', choice: 0, block, id, name }];
  }

  /** Arguments without an announced call belong to nothing. */
  callDelta(index: number, text: string): GenerationEvent[] {
    const block = this.calls.get(index);
    if (block === undefined || text === '') return [];
    return [{ type: 'tool-call-delta', choice: 0, block, arguments: text }];
  }

  endCall(index: number): GenerationEvent[] {
    const block = this.calls.get(index);
    this.calls.delete(index);
    return block === undefined ? [] : [{ type: 'tool-call-end', choice: 0, block }];
  }

  /** A citation without a text before it belongs to nothing. */
  cite(original: Record<string, unknown>): GenerationEvent[] {
    if (this.open?.kind !== 'text') return [];
    const { block } = this.open;
    return readCitations(original).map((citation) => ({ type: 'citation', choice: 0, block, citation }));
  }

  /** Ends everything. */
  close(): GenerationEvent[] {
    return [...this.endSaid(), ...[...this.calls.keys()].flatMap((index) => this.endCall(index))];
  }

  private endSaid(): GenerationEvent[] {
    const { open } = this;
    this.open = null;
    return open === null ? [] : [{ type: `${open.kind}-end`, choice: 0, block: open.block }];
  }

  private begin(
    kind: OpenBlock['kind'],
    index: number | null,
  ): { at: { choice: number; block: number }; events: GenerationEvent[] } {
    if (this.open?.kind === kind && this.open.index === index)
      return { at: { choice: 0, block: this.open.block }, events: [] };
    const closed = this.endSaid();
    this.open = { kind, index, block: this.blocks++ };
    const at = { choice: 0, block: this.open.block };
    return { at, events: [...closed, { type: `${kind}-start`, ...at }] };
  }
}

/**
 * A citation for each of its sources, which back the same words: documents of the request's and outputs of
 * tools.
 * https://docs.cohere.com/docs/rag-citations
 */
function readCitations(original: Record<string, unknown>): Citation[] {
  const sources = Array.isArray(original.sources) ? original.sources.filter(isRecord) : [];
  return sources.map((source) => {
    const { url, title } = { ...recordIn(source, 'tool_output'), ...recordIn(source, 'document') };
    return {
      dialect: 'cohere',
      url: typeof url === 'string' ? url : null,
      title: typeof title === 'string' ? title : null,
      original,
    };
  });
}
