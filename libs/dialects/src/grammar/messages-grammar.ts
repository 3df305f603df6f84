import { isRecord } from '../wire/json-value';
import {
  broken,
  countIn,
  demand,
  judged,
  listIn,
  nameIn,
  objectIn,
  oneOf,
  type StreamGrammar,
  textIn,
} from './stream-grammar';

type Json = Record<string, unknown>;

/** https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons */
const stopReasons = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
];

/**
 * Messages streams: `message_start`; blocks numbered from 0, each opened, filled and closed before the next
 * begins; one `message_delta` with the reason and the usage;
 * `message_stop`. `ping` may stand anywhere between; `error` ends a stream that failed.
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export class MessagesGrammar implements StreamGrammar {
  private state: 'new' | 'open' | 'stopping' | 'over' = 'new';
  private block: MessagesBlockGrammar | null = null;
  private blocks = 0;
  private readonly toolIds = new Set<string>();

  accept(eventName: string, json: unknown): string | null {
    return judged(() => this.judge(eventName, json));
  }

  end(): string | null {
    return this.state === 'over' ? null : 'the stream closed without message_stop';
  }

  private judge(eventName: string, json: unknown): void {
    demand(this.state !== 'over', 'an event after the end');
    if (!isRecord(json)) return broken('an event is no object');
    demand(json.type === eventName, `the event '${eventName}' holds the type '${String(json.type)}'`);
    switch (eventName) {
      case 'ping':
        return;
      case 'error':
        return this.error(json);
      case 'message_start':
        return this.start(objectIn(json, 'message'));
      case 'content_block_start':
        return this.startBlock(json);
      case 'content_block_delta':
        return this.openBlock(json).delta(objectIn(json, 'delta'));
      case 'content_block_stop':
        return this.stopBlock(json);
      case 'message_delta':
        return this.messageDelta(json);
      case 'message_stop':
        demand(this.state === 'stopping', 'message_stop without message_delta');
        this.state = 'over';
        return;
      default:
        return broken(`there is no event '${eventName}'`);
    }
  }

  private start(message: Json): void {
    demand(this.state === 'new', 'a second message_start');
    this.state = 'open';
    nameIn(message, 'id');
    nameIn(message, 'model');
    oneOf(message, 'type', ['message']);
    oneOf(message, 'role', ['assistant']);
    oneOf(message, 'stop_reason', [null]);
    oneOf(message, 'stop_sequence', [null]);
    demand(listIn(message, 'content').length === 0, 'message_start holds content');
    const usage = objectIn(message, 'usage');
    countIn(usage, 'input_tokens');
    countIn(usage, 'output_tokens');
  }

  private startBlock(json: Json): void {
    demand(this.state === 'open', `a block begins where the message is ${this.state}`);
    demand(this.block === null, 'a block begins while another is open');
    const index = countIn(json, 'index');
    demand(index === this.blocks, `block ${index} begins where ${this.blocks} is next`);
    this.blocks++;
    this.block = new MessagesBlockGrammar(objectIn(json, 'content_block'));
    const { toolId } = this.block;
    if (toolId === null) return;
    demand(!this.toolIds.has(toolId), `two calls have the id ${toolId}`);
    this.toolIds.add(toolId);
  }

  private openBlock(json: Json): MessagesBlockGrammar {
    const index = countIn(json, 'index');
    if (this.block === null) return broken(`block ${index} goes on, and none is open`);
    demand(index === this.blocks - 1, `block ${index} goes on where ${this.blocks - 1} is open`);
    return this.block;
  }

  private stopBlock(json: Json): void {
    this.openBlock(json);
    this.block = null;
  }

  private messageDelta(json: Json): void {
    demand(this.state === 'open', `message_delta where the message is ${this.state}`);
    demand(this.block === null, 'message_delta while a block is open');
    const delta = objectIn(json, 'delta');
    oneOf(delta, 'stop_reason', stopReasons);
    if (delta.stop_reason === 'tool_use') demand(this.toolIds.size > 0, 'stopped by a tool call without one');
    if (delta.stop_reason !== 'stop_sequence') oneOf(delta, 'stop_sequence', [null]);
    countIn(objectIn(json, 'usage'), 'output_tokens');
    this.state = 'stopping';
  }

  private error(json: Json): void {
    const error = objectIn(json, 'error');
    nameIn(error, 'type');
    nameIn(error, 'message');
    this.state = 'over';
  }
}

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
class MessagesBlockGrammar {
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
