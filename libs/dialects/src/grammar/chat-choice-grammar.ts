import { isRecord } from '../wire/json-value';
import { broken, countIn, demand, listIn, nameIn, objectIn, oneOf, textIn } from './stream-grammar';

type Json = Record<string, unknown>;

/**
 * https://platform.openai.com/docs/api-reference/chat-streaming/streaming#chat-streaming-streaming-choices-finish_reason
 */
const finishReasons = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'];

/** One choice of a chat completion stream. */
export class ChatChoiceGrammar {
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
