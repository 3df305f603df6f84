import type { GenerationEvent } from '../canonical/generation-event';
import type { ReasoningSeal } from '../canonical/generation-request';
import { isRecord, recordIn } from '../wire/json-value';

/** Gives canonical blocks their numbers, unique in the answer. */
export class BlockNumbers {
  private last = -1;

  next(): number {
    return ++this.last;
  }
}

/**
 * One content block of Converse while it comes. Its kind shows with its first delta; where the kind changes,
 * a new canonical block begins.
 */
export class OpenBlock {
  private kind: 'text' | 'reasoning' | 'tool-call' | null = null;
  private block = 0;
  private signature = '';
  private redacted = '';

  constructor(private readonly numbers: BlockNumbers) {}

  toolCall(id: string, name: string): GenerationEvent[] {
    const before = this.end();
    this.block = this.numbers.next();
    this.kind = 'tool-call';
    return [...before, { type: 'tool-call-start', choice: 0, block: this.block, id, name }];
  }

  /** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlockDelta.html */
  delta(delta: Record<string, unknown>): GenerationEvent[] {
    if (typeof delta.text === 'string') return this.text(delta.text);
    if (isRecord(delta.toolUse)) return this.toolInput(delta.toolUse.input);
    if (isRecord(delta.reasoningContent)) return this.reasoning(delta.reasoningContent);
    if (isRecord(delta.citation)) return this.citation(delta.citation);
    return [];
  }

  end(): GenerationEvent[] {
    const { kind, block } = this;
    this.kind = null;
    if (kind === null) return [];
    if (kind !== 'reasoning') return [{ type: `${kind}-end`, choice: 0, block }];
    const seal = this.takeSeal();
    return [{ type: 'reasoning-end', choice: 0, block, ...(seal ? { seal } : {}) }];
  }

  private text(text: string): GenerationEvent[] {
    const begun = this.begin('text');
    return text === '' ? begun : [...begun, { type: 'text-delta', choice: 0, block: this.block, text }];
  }

  /** An input without an announced call belongs to nothing. */
  private toolInput(input: unknown): GenerationEvent[] {
    if (this.kind !== 'tool-call' || typeof input !== 'string' || input === '') return [];
    return [{ type: 'tool-call-delta', choice: 0, block: this.block, arguments: input }];
  }

  private reasoning({ text, signature, redactedContent }: Record<string, unknown>): GenerationEvent[] {
    const begun = this.begin('reasoning');
    if (typeof signature === 'string') this.signature += signature;
    if (typeof redactedContent === 'string') this.redacted += redactedContent;
    if (typeof text !== 'string' || text === '') return begun;
    return [...begun, { type: 'reasoning-delta', choice: 0, block: this.block, text }];
  }

  /** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CitationsDelta.html */
  private citation(original: Record<string, unknown>): GenerationEvent[] {
    const { url } = recordIn(recordIn(original, 'location'), 'web');
    const { title } = original;
    const citation = {
      dialect: 'bedrock-converse' as const,
      url: typeof url === 'string' ? url : null,
      title: typeof title === 'string' ? title : null,
      original,
    };
    return [...this.begin('text'), { type: 'citation', choice: 0, block: this.block, citation }];
  }

  private begin(kind: 'text' | 'reasoning'): GenerationEvent[] {
    if (this.kind === kind) return [];
    const before = this.end();
    this.block = this.numbers.next();
    this.kind = kind;
    return [...before, { type: `${kind}-start`, choice: 0, block: this.block }];
  }

  private takeSeal(): ReasoningSeal | null {
    const { signature, redacted } = this;
    this.signature = '';
    this.redacted = '';
    if (redacted !== '') return { dialect: 'bedrock-converse', kind: 'redacted', value: redacted };
    return signature === '' ? null : { dialect: 'bedrock-converse', kind: 'signature', value: signature };
  }
}
