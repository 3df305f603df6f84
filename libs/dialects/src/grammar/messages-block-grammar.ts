import { broken, demand, nameIn, objectIn, textIn } from './stream-grammar';

type Json = Record<string, unknown>;

/**
 * What Anthropic's clients demand of the id of a call:
 * https://platform.claude.com/docs/en/api/messages/create
 */
const toolUseId = /^[a-zA-Z0-9_-]+$/;

/**
 * Which deltas each kind of block takes.
 * https://platform.claude.com/docs/en/build-with-claude/streaming#content-block-delta-types
 */
const deltasOf: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  redacted_thinking: [],
  tool_use: ['input_json_delta'],
};

/** One content block of a messages stream. */
export class MessagesBlockGrammar {
  /** The id of a tool call, null for any other block. */
  readonly toolId: string | null;
  private readonly type: string;
  private readonly deltas: readonly string[];
  private isSigned = false;

  constructor(block: Json) {
    this.type = textIn(block, 'type');
    this.deltas = deltasOf[this.type] ?? broken(`there is no block of type '${this.type}'`);
    this.toolId = this.type === 'tool_use' ? nameIn(block, 'id') : null;
    if (this.toolId !== null) {
      demand(toolUseId.test(this.toolId), `the id '${this.toolId}' is not legal`);
      nameIn(block, 'name');
      demand(Object.keys(objectIn(block, 'input')).length === 0, 'a call begins with its input');
    }
    if (this.type === 'text') demand(block.text === '', 'a text block begins with text');
    if (this.type === 'thinking') demand(block.thinking === '', 'a thinking block begins with text');
    if (this.type === 'redacted_thinking') nameIn(block, 'data');
  }

  delta(delta: Json): void {
    const type = textIn(delta, 'type');
    demand(this.deltas.includes(type), `a ${type} in a block of type ${this.type}`);
    demand(!this.isSigned, `a ${type} after the signature`);
    switch (type) {
      case 'text_delta':
        return void textIn(delta, 'text');
      case 'thinking_delta':
        return void textIn(delta, 'thinking');
      case 'input_json_delta':
        return void textIn(delta, 'partial_json');
      case 'signature_delta':
        nameIn(delta, 'signature');
        this.isSigned = true;
        return;
      case 'citations_delta':
        return void nameIn(objectIn(delta, 'citation'), 'type');
    }
  }
}
