import type { GenerationEvent } from '../canonical/generation-event';
import type { ReasoningSeal } from '../canonical/generation-request';
import { isRecord } from '../wire/json-value';

type BlockKind = 'text' | 'reasoning' | 'tool-call' | 'answer-as-tool' | 'unknown';

/**
 * Reads one content block of an answer, in whatever pieces it comes. Blocks and deltas of unknown types
 * (tools that Anthropic runs itself) are passed over.
 */
export class BlockReader {
  private readonly kind: BlockKind;
  private signature = '';
  private seal: ReasoningSeal | undefined;
  /**
   * Arguments that came with the start; some servers behind this dialect send them there and nothing later.
   */
  private input: string;
  private hasArguments = false;

  /** `answerTool` is the name of the tool whose arguments are the answer, null when there is none. */
  constructor(
    private readonly block: number,
    private readonly start: Record<string, unknown>,
    answerTool: string | null,
  ) {
    this.kind = kindOf(start, answerTool);
    this.input = isRecord(start.input) && Object.keys(start.input).length > 0 ? JSON.stringify(start.input) : '';
    if (typeof start.signature === 'string') this.signature = start.signature;
  }

  open(newId: () => string): GenerationEvent[] {
    const { block, start } = this;
    const at = { choice: 0, block };
    switch (this.kind) {
      case 'text':
        return [{ type: 'text-start', ...at }, ...this.text(start.text), ...this.citations(start.citations)];
      case 'answer-as-tool':
        return [{ type: 'text-start', ...at }];
      case 'reasoning':
        if (typeof start.data === 'string')
          this.seal = { dialect: 'anthropic-messages', kind: 'redacted', value: start.data };
        return [{ type: 'reasoning-start', ...at }, ...this.reasoning(start.thinking)];
      case 'tool-call':
        return [
          { type: 'tool-call-start', ...at, id: textOr(start.id, `toolu_${newId()}`), name: textOr(start.name, '') },
        ];
      case 'unknown':
        return [];
    }
  }

  delta(delta: Record<string, unknown>): GenerationEvent[] {
    switch (delta.type) {
      case 'text_delta':
        return this.kind === 'text' ? this.text(delta.text) : [];
      case 'thinking_delta':
        return this.kind === 'reasoning' ? this.reasoning(delta.thinking) : [];
      case 'signature_delta':
        this.signature += textOr(delta.signature, '');
        return [];
      case 'input_json_delta':
        return this.arguments(textOr(delta.partial_json, ''));
      case 'citations_delta':
        return this.citations([delta.citation]);
      default:
        return [];
    }
  }

  close(): GenerationEvent[] {
    const at = { choice: 0, block: this.block };
    const rest = this.arguments(this.input);
    // An empty object comes as no arguments at all; as an answer it must be told.
    if (this.kind === 'answer-as-tool' && !this.hasArguments) rest.push(...this.text('{}'));
    switch (this.kind) {
      case 'text':
      case 'answer-as-tool':
        return [...rest, { type: 'text-end', ...at }];
      case 'reasoning':
        return [{ type: 'reasoning-end', ...at, ...this.sealMember() }];
      case 'tool-call':
        return [...rest, { type: 'tool-call-end', ...at }];
      case 'unknown':
        return [];
    }
  }

  private sealMember(): { seal?: ReasoningSeal } {
    if (this.seal !== undefined) return { seal: this.seal };
    if (this.signature === '') return {};
    return { seal: { dialect: 'anthropic-messages', kind: 'signature', value: this.signature } };
  }

  private text(text: unknown): GenerationEvent[] {
    if (typeof text !== 'string' || text === '') return [];
    return [{ type: 'text-delta', choice: 0, block: this.block, text }];
  }

  private reasoning(text: unknown): GenerationEvent[] {
    if (typeof text !== 'string' || text === '') return [];
    return [{ type: 'reasoning-delta', choice: 0, block: this.block, text }];
  }

  private arguments(text: string): GenerationEvent[] {
    if (text === '') return [];
    this.input = '';
    this.hasArguments = true;
    if (this.kind === 'answer-as-tool') return this.text(text);
    if (this.kind !== 'tool-call') return [];
    return [{ type: 'tool-call-delta', choice: 0, block: this.block, arguments: text }];
  }

  /** https://platform.claude.com/docs/en/build-with-claude/citations */
  private citations(citations: unknown): GenerationEvent[] {
    if (this.kind !== 'text' || !Array.isArray(citations)) return [];
    return citations.filter(isRecord).map((original) => ({
      type: 'citation',
      choice: 0,
      block: this.block,
      citation: {
        dialect: 'anthropic-messages',
        url: textOr(original.url, null),
        title: textOr(original.title, null) ?? textOr(original.document_title, null),
        original,
      },
    }));
  }
}

function kindOf({ type, name }: Record<string, unknown>, answerTool: string | null): BlockKind {
  switch (type) {
    case 'text':
      return 'text';
    case 'thinking':
    case 'redacted_thinking':
      return 'reasoning';
    case 'tool_use':
      return answerTool !== null && name === answerTool ? 'answer-as-tool' : 'tool-call';
    default:
      return 'unknown';
  }
}

function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === 'string' ? value : other;
}
