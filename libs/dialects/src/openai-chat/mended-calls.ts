import { newId } from '../canonical/new-id';
import { isRecord, parseJson, recordIn, textIn } from '../wire/json-value';

type Json = Record<string, unknown>;

/** A call that a stream has begun. `sent`: the provider's own id, null while it told none. */
interface MendedCall {
  readonly number: number;
  readonly id: string;
  sent: string | null;
  /** Of the fragments that had to be looked at, and told no id. */
  arguments: string;
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
  private readonly calls = new Map<number, MendedCall[]>();
  /** The call that the provider's number means now, by choice. */
  private readonly byIndex = new Map<string, MendedCall>();
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
    const calls = before.map((each, at) => (isRecord(each) ? this.fragment(each, number, place(at)) : each));
    if (calls.every((each, at) => each === before[at])) return choice;
    return { ...choice, delta: { ...delta, tool_calls: calls } };
  }

  private fragment(fragment: Json, choice: number, position: number): Json {
    const called = recordIn(fragment, isRecord(fragment.custom) ? 'custom' : 'function');
    const id = toldId(fragment.id);
    const known = this.known(fragment, choice, position, (textIn(called, 'name') ?? '') !== '');
    const call = known ?? this.begin(id, fragment.index, choice);
    if (id === null) call.arguments += textIn(called, 'arguments') ?? '';
    if (known) known.sent ??= id;
    if (typeof fragment.index === 'number' && fragment.index !== call.number) this.isRenumbered = true;
    const isId = fragment.id === call.id || (known !== undefined && (fragment.id ?? '') === '');
    if (fragment.index === call.number && isId) return fragment;
    const { index: _, id: _sent, ...rest } = fragment;
    return known ? { index: call.number, ...rest } : { index: call.number, id: call.id, type: 'function', ...rest };
  }

  /** Undefined: another call begins. */
  private known({ id: told, index }: Json, choice: number, position: number, isNamed: boolean): MendedCall | undefined {
    const calls = this.calls.get(choice) ?? [];
    const id = toldId(told);
    const byId = id === null ? undefined : calls.find(({ sent }) => sent === id);
    if (byId) return byId;
    // Without a number and an id one of several belongs to the call at its place, one alone to the last call.
    const atPlace = id === null ? (calls[position] ?? calls.at(-1)) : undefined;
    const known = typeof index === 'number' ? this.byIndex.get(`${choice} ${index}`) : atPlace;
    if (!known || !isNamed) return known;
    // Another id with a name is another call, and so is a name where all arguments are there.
    const isOther = id === null ? isRecord(parseJson(known.arguments)) : known.sent !== null;
    return isOther ? undefined : known;
  }

  private begin(sent: string | null, index: unknown, choice: number): MendedCall {
    const calls = this.calls.get(choice) ?? [];
    this.calls.set(choice, calls);
    const taken = new Set(calls.map(({ number }) => number));
    const number = typeof index === 'number' && !taken.has(index) ? index : Math.max(-1, ...taken) + 1;
    const call = { number, id: sent ?? newCallId(), sent, arguments: '' };
    calls.push(call);
    this.byIndex.set(`${choice} ${typeof index === 'number' ? index : number}`, call);
    return call;
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

/** Null: none was told. */
export function toldId(id: unknown): string | null {
  if (typeof id === 'number') return String(id);
  return typeof id === 'string' && id.trim() !== '' ? id : null;
}

function newCallId(): string {
  return `call_${newId()}`;
}
