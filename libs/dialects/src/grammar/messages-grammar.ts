import { isRecord } from '../wire/json-value';
import { MessagesBlockGrammar } from './messages-block-grammar';
import { broken, countIn, demand, judged, listIn, nameIn, objectIn, oneOf } from './stream-grammar';
import type { StreamGrammar } from './stream-grammar';

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
