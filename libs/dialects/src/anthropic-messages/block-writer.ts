import type { GenerationEvent } from '../canonical/generation-event';
import type { ReasoningSeal } from '../canonical/generation-request';
import { carriedText, noSeal } from '../canonical/carried-seal';
import { toCitation } from './to-citation';

type BlockEvent = Extract<GenerationEvent, { block: number }>;
type Write = (type: string, members: Record<string, unknown>) => void;

/**
 * Writes one content block from its canonical events. A text or thinking block begins with its first content,
 * so that none is empty: Anthropic refuses empty ones when they come back.
 */
export class BlockWriter {
  private isOpen = false;
  private id: string | undefined;
  private signature: ReasoningSeal | undefined;
  isDone = false;

  /** `write` takes an event of the stream without its index; `begin` is called before a block starts. */
  constructor(
    private readonly write: Write,
    private readonly begin: () => void,
  ) {}

  take(event: BlockEvent): void {
    switch (event.type) {
      case 'text-delta':
      case 'refusal-delta':
        return this.text(event.text);
      case 'citation':
        return this.citation(event);
      case 'reasoning-start':
        this.id = event.id;
        return;
      case 'reasoning-delta':
        return this.thinking(event.text);
      case 'reasoning-end':
        return this.endReasoning(event.seal);
      case 'tool-call-start':
        this.id = event.id;
        this.signature = event.signature;
        return this.open({ type: 'tool_use', id: event.id, name: event.name, input: {} });
      case 'tool-call-delta':
        if (event.arguments !== '') this.delta({ type: 'input_json_delta', partial_json: event.arguments });
        return;
      case 'tool-call-end':
        return this.endCall(event.signature ?? this.signature);
      case 'text-end':
      case 'refusal-end':
        return this.close();
      case 'text-start':
      case 'refusal-start':
        return;
    }
  }

  private text(text: string): void {
    if (text === '') return;
    this.openText();
    this.delta({ type: 'text_delta', text });
  }

  private citation({ citation }: Extract<BlockEvent, { type: 'citation' }>): void {
    const shown = toCitation(citation);
    if (shown === null) return;
    this.openText();
    this.delta({ type: 'citations_delta', citation: shown });
  }

  private openText(): void {
    if (!this.isOpen) this.open({ type: 'text', text: '' });
  }

  private thinking(text: string): void {
    if (text === '') return;
    if (!this.isOpen) this.open({ type: 'thinking', thinking: '', signature: '' });
    this.delta({ type: 'thinking_delta', thinking: text });
  }

  private endReasoning(seal: ReasoningSeal | undefined): void {
    if (seal === undefined) return this.endUnsealed();
    const value = carriedText(seal, 'anthropic-messages', this.id === undefined ? {} : { id: this.id });
    if (!this.isOpen && seal.kind !== 'signature') this.open({ type: 'redacted_thinking', data: value });
    else {
      if (!this.isOpen) this.open({ type: 'thinking', thinking: '', signature: '' });
      this.delta({ type: 'signature_delta', signature: value });
    }
    this.close();
  }

  /** Clients keep thinking only with a signature, and some providers want it back although they make none. */
  private endUnsealed(): void {
    if (this.isOpen) this.delta({ type: 'signature_delta', signature: noSeal });
    this.close();
  }

  /**
   * This dialect has no place for the seal of a call, so it follows in a block that clients send back as it
   * is.
   */
  private endCall(signature: ReasoningSeal | undefined): void {
    this.finish();
    if (signature !== undefined && this.id !== undefined) {
      this.open({
        type: 'redacted_thinking',
        data: carriedText(signature, 'anthropic-messages', { toolCallId: this.id }),
      });
      this.finish();
    }
    this.isDone = true;
  }

  private open(block: Record<string, unknown>): void {
    this.begin();
    this.isOpen = true;
    this.write('content_block_start', { content_block: block });
  }

  private delta(delta: Record<string, unknown>): void {
    this.write('content_block_delta', { delta });
  }

  private close(): void {
    this.finish();
    this.isDone = true;
  }

  private finish(): void {
    if (this.isOpen) this.write('content_block_stop', {});
    this.isOpen = false;
  }
}
