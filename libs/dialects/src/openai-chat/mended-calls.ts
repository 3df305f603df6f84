import { newId } from '../canonical/new-id';
import { isRecord, recordIn, textIn } from '../wire/json-value';
import { StreamedCalls, toldId } from './streamed-calls';
import type { StreamedCall } from './streamed-calls';

type Json = Record<string, unknown>;

/** Its arguments are those of the fragments that had to be looked at, and told no id. */
interface MendedCall extends StreamedCall {
  readonly id: string;
}

/**
 * The calls of one stream as OpenAI's clients put them together: each fragment has its number, the first one
 * of a call an id, which is a text. Providers leave out the number (sglang, Gemini's endpoint for OpenAI's
 * clients, Grok by some gateways), the id (GLM, models at NVIDIA's NIM), tell the id as a number (NIM), or
 * number every call 0; clients then fail, or make one call of several.
 * https://github.com/sgl-project/sglang/issues/5661 https://github.com/openai/openai-python/issues/2806
 * https://github.com/chenyme/grok2api/issues/239 https://github.com/CherryHQ/cherry-studio/pull/16322
 * https://github.com/anomalyco/opencode/pull/25925 https://github.com/anomalyco/opencode/issues/25786
 * https://github.com/vercel/ai/issues/18440
 */
export class MendedCalls {
  private readonly choices = new Map<number, StreamedCalls<MendedCall>>();
  /** True once a call has another number than the provider's: each of its fragments is to be told. */
  isRenumbered = false;

  /**
   * A chunk with fragments of calls as clients know them; null: it is so. Those that begin a call, tell an id
   * or lack a number must all be told, in their order.
   */
  mend(chunk: unknown): Json | null {
    if (!isRecord(chunk) || !Array.isArray(chunk.choices)) return null;
    const before: unknown[] = chunk.choices;
    const choices = before.map((choice) => (isRecord(choice) ? this.inChoice(choice) : choice));
    return choices.every((choice, at) => choice === before[at]) ? null : { ...chunk, choices };
  }

  private inChoice(choice: Json): Json {
    const delta = recordIn(choice, 'delta');
    if (!Array.isArray(delta.tool_calls)) return choice;
    const number = typeof choice.index === 'number' ? choice.index : 0;
    const before: unknown[] = delta.tool_calls;
    const place = (at: number) => (before.length === 1 ? -1 : at);
    const known = this.choices.get(number) ?? new StreamedCalls<MendedCall>();
    this.choices.set(number, known);
    const calls = before.map((each, at) => (isRecord(each) ? this.fragment(each, known, place(at)) : each));
    if (calls.every((each, at) => each === before[at])) return choice;
    return { ...choice, delta: { ...delta, tool_calls: calls } };
  }

  private fragment(fragment: Json, calls: StreamedCalls<MendedCall>, position: number): Json {
    const called = recordIn(fragment, isRecord(fragment.custom) ? 'custom' : 'function');
    const isNamed = (textIn(called, 'name') ?? '') !== '';
    const known = calls.find(fragment, position, isNamed);
    const call = known ?? calls.begin(fragment, isNamed, (begun) => ({ ...begun, id: begun.sent ?? newCallId() }));
    if (toldId(fragment.id) === null) call.arguments += textIn(called, 'arguments') ?? '';
    if (typeof fragment.index === 'number' && fragment.index !== call.number) this.isRenumbered = true;
    const isId = fragment.id === call.id || (known !== undefined && (fragment.id ?? '') === '');
    if (fragment.index === call.number && isId) return fragment;
    const { index: _, id: _sent, ...rest } = fragment;
    return known ? { index: call.number, ...rest } : { index: call.number, id: call.id, type: 'function', ...rest };
  }
}

/** A whole completion whose calls all have ids that are texts; null: they had. */
export function withIdsOfCalls(completion: unknown): Json | null {
  if (!isRecord(completion) || !Array.isArray(completion.choices)) return null;
  const before: unknown[] = completion.choices;
  const choices = before.map((choice) => {
    const message = recordIn(choice, 'message');
    const calls: unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    if (!isRecord(choice) || calls.every(hasId)) return choice;
    return { ...choice, message: { ...message, tool_calls: calls.map((call) => (hasId(call) ? call : withId(call))) } };
  });
  return choices.every((choice, at) => choice === before[at]) ? null : { ...completion, choices };
}

function hasId(call: unknown): boolean {
  return !isRecord(call) || (typeof call.id === 'string' && call.id.trim() !== '');
}

function withId(call: unknown): unknown {
  return isRecord(call) ? { ...call, id: toldId(call.id) ?? newCallId() } : call;
}

function newCallId(): string {
  return `call_${newId()}`;
}
