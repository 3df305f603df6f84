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

/**
 * Chat completion streams: chunks without event names that share id, time and model; per choice the role
 * first, then content, then one finish reason; after every choice has finished at most one chunk of usage
 * without choices; `[DONE]` last. An error object ends a stream that failed.
 * https://platform.openai.com/docs/api-reference/chat-streaming
 */
export class ChatGrammar implements StreamGrammar {
  private readonly choices = new Map<number, ChatChoiceGrammar>();
  private head: string | null = null;
  private hasUsage = false;
  private isOver = false;

  accept(eventName: string, json: unknown): string | null {
    return judged(() => this.judge(eventName, json));
  }

  end(): string | null {
    return this.isOver ? null : 'the stream closed without [DONE]';
  }

  private judge(eventName: string, json: unknown): void {
    demand(!this.isOver, 'an event after the end');
    demand(eventName === '', `events have no names here, this one is '${eventName}'`);
    if (json === '[DONE]') return this.done();
    if (!isRecord(json)) return broken('a chunk is no object');
    if ('error' in json) return this.error(json);
    this.sameHead(json);
    const choices = listIn(json, 'choices');
    if (choices.length === 0) return this.usage(json);
    demand(!this.hasUsage, 'choices after the chunk of usage');
    demand((json.usage ?? null) === null, 'usage in a chunk with choices');
    for (const choice of choices) this.choice(isRecord(choice) ? choice : broken('a choice is no object'));
  }

  private sameHead(chunk: Json): void {
    oneOf(chunk, 'object', ['chat.completion.chunk']);
    const head = JSON.stringify([nameIn(chunk, 'id'), countIn(chunk, 'created'), nameIn(chunk, 'model')]);
    this.head ??= head;
    demand(head === this.head, `id, created or model changed from ${this.head} to ${head}`);
  }

  private choice(choice: Json): void {
    const index = countIn(choice, 'index');
    let grammar = this.choices.get(index);
    if (!grammar) this.choices.set(index, (grammar = new ChatChoiceGrammar()));
    grammar.take(choice);
  }

  private usage(chunk: Json): void {
    demand(!this.hasUsage, 'a second chunk of usage');
    this.allFinished('the chunk of usage');
    this.hasUsage = true;
    const usage = objectIn(chunk, 'usage');
    const total = countIn(usage, 'prompt_tokens') + countIn(usage, 'completion_tokens');
    demand(countIn(usage, 'total_tokens') === total, 'total_tokens is not the sum of prompt and completion');
  }

  private done(): void {
    this.allFinished('[DONE]');
    this.isOver = true;
  }

  private allFinished(what: string): void {
    demand(this.choices.size > 0, `${what} before any choice`);
    for (let index = 0; index < this.choices.size; index++) {
      const choice = this.choices.get(index);
      if (!choice) return broken(`${what} without a choice ${index}`);
      demand(choice.isFinished, `${what} before choice ${index} has finished`);
    }
  }

  private error(json: Json): void {
    nameIn(objectIn(json, 'error'), 'message');
    this.isOver = true;
  }
}

/**
 * https://platform.openai.com/docs/api-reference/chat-streaming/streaming#chat-streaming-streaming-choices-finish_reason
 */
const finishReasons = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'];

/** One choice of a chat completion stream. */
class ChatChoiceGrammar {
  isFinished = false;
  private hasRole = false;
  /** Ids of the tool calls by their index. */
  private readonly calls: string[] = [];

  take(choice: Json): void {
    demand(!this.isFinished, 'a choice goes on after its finish reason');
    const delta = objectIn(choice, 'delta');
    this.role(delta);
    for (const name of ['content', 'refusal', 'reasoning_content'])
      if ((delta[name] ?? null) !== null) textIn(delta, name);
    if (delta.tool_calls !== undefined) this.toolCalls(listIn(delta, 'tool_calls'));
    checkLogprobs(choice.logprobs ?? null);
    if ((choice.finish_reason ?? null) !== null) this.finish(choice);
  }

  private role(delta: Json): void {
    if (this.hasRole) return demand(delta.role === undefined, 'the role is told twice');
    oneOf(delta, 'role', ['assistant']);
    this.hasRole = true;
  }

  private toolCalls(calls: readonly unknown[]): void {
    demand(calls.length > 0, 'tool_calls is empty');
    for (const call of calls) this.toolCall(isRecord(call) ? call : broken('a tool call is no object'));
  }

  private toolCall(call: Json): void {
    const index = countIn(call, 'index');
    const known = this.calls[index];
    if (known === undefined) return this.newCall(call, index);
    demand((call.id ?? known) === known, `the id of tool call ${index} changed`);
    // openai-python's `.stream()`, LangChain and the AI SDK read it in every delta: one without it ends them.
    const called = objectIn(call, 'function');
    demand((called.name ?? null) === null, `the name of tool call ${index} is told twice`);
    textIn(called, 'arguments');
  }

  private newCall(call: Json, index: number): void {
    demand(index === this.calls.length, `tool call ${index} begins where ${this.calls.length} is next`);
    const id = nameIn(call, 'id');
    demand(!this.calls.includes(id), `two tool calls have the id ${id}`);
    oneOf(call, 'type', ['function']);
    const called = objectIn(call, 'function');
    nameIn(called, 'name');
    textIn(called, 'arguments');
    this.calls.push(id);
  }

  private finish(choice: Json): void {
    oneOf(choice, 'finish_reason', finishReasons);
    if (choice.finish_reason === 'tool_calls') demand(this.calls.length > 0, 'finished by tool calls without one');
    this.isFinished = true;
  }
}

function checkLogprobs(logprobs: unknown): void {
  if (logprobs === null) return;
  if (!isRecord(logprobs)) return broken('logprobs is no object');
  for (const name of ['content', 'refusal']) {
    if ((logprobs[name] ?? null) === null) continue;
    for (const token of listIn(logprobs, name)) {
      if (!isRecord(token)) return broken('a log probability is no object');
      textIn(token, 'token');
      demand(typeof token.logprob === 'number', 'logprob is no number');
      listIn(token, 'top_logprobs');
    }
  }
}
