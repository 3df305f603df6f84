import { afterInput, beforeInput, escapedInput } from '../canonical/custom-tool';
import type { GenerationEvent } from '../canonical/generation-event';
import type { ReasoningSeal } from '../canonical/generation-request';
import { isRecord, parseJson, recordIn } from '../wire/json-value';
import type { AnswerNumbers } from './choice-reader';
import { StreamedCalls } from './streamed-calls';
import type { StreamedCall } from './streamed-calls';

interface ReadCall extends StreamedCall {
  /** Null until the name is known, which a call cannot begin without. */
  block: number | null;
  /** Of a tool of free text, which may hold anything: its end is told by nothing but the end of the choice. */
  isCustom: boolean;
  isOver: boolean;
  signature?: ReasoningSeal;
}

/**
 * Reads tool calls in fragments. A call without an id gets one.
 * A call ends when the next one begins and its arguments are whole, else with its choice.
 * A call of a custom tool reads as one of a function with one string.
 * https://platform.openai.com/docs/guides/function-calling#custom-tools
 */
export class ToolCallReader {
  private readonly calls = new StreamedCalls<ReadCall>();

  constructor(
    private readonly choice: number,
    private readonly numbers: AnswerNumbers,
  ) {}

  /** Calls that have begun. */
  get count(): number {
    return this.calls.begun.filter(({ block }) => block !== null).length;
  }

  /** `position`: the fragment's place in its list; -1: it is alone there. */
  read(fragment: unknown, position: number): GenerationEvent[] {
    if (!isRecord(fragment)) return [];
    const isCustom = isRecord(fragment.custom);
    const called = recordIn(fragment, isCustom ? 'custom' : 'function');
    const name = typeof called.name === 'string' && called.name !== '' ? called.name : null;
    const [call, ended] = this.callOf(fragment, position, name !== null);
    const { thought_signature: signature } = recordIn(fragment.extra_content, 'google');
    if (typeof signature === 'string') call.signature = { dialect: 'gemini', kind: 'signature', value: signature };
    const begun = call.block === null && name !== null ? this.begin(call, name) : [];
    return [
      ...ended,
      ...begun,
      ...this.extend(call, isCustom ? freeText(call, called.input) : argumentsOf(called.arguments)),
    ];
  }

  /** Ends the calls whose arguments are whole. */
  endComplete(): GenerationEvent[] {
    return this.calls.begun
      .filter((call) => parseJson(call.arguments) !== undefined)
      .flatMap((call) => this.endCall(call));
  }

  end(): GenerationEvent[] {
    return this.calls.begun.flatMap((call) => this.endCall(call));
  }

  private callOf(fragment: Record<string, unknown>, position: number, isNamed: boolean): [ReadCall, GenerationEvent[]] {
    const call = this.calls.find(fragment, position, isNamed);
    if (call) return [call, []];
    const ended = this.endComplete();
    const begun = { block: null, isCustom: false, isOver: false };
    return [this.calls.begin(fragment, isNamed, (known) => ({ ...known, ...begun })), ended];
  }

  private begin(call: ReadCall, name: string): GenerationEvent[] {
    call.block = this.numbers.nextBlock();
    const id = call.sent ?? `call_${this.numbers.newId()}`;
    const { block, signature } = call;
    const begun: GenerationEvent = {
      type: 'tool-call-start',
      choice: this.choice,
      block,
      id,
      name,
      ...(signature && { signature }),
    };
    const early = call.arguments;
    return early === '' ? [begun] : [begun, this.delta(block, early)];
  }

  private extend(call: ReadCall, text: string): GenerationEvent[] {
    if (text === '' || call.isOver) return [];
    call.arguments += text;
    return call.block === null ? [] : [this.delta(call.block, text)];
  }

  private delta(block: number, text: string): GenerationEvent {
    return { type: 'tool-call-delta', choice: this.choice, block, arguments: text };
  }

  private endCall(call: ReadCall): GenerationEvent[] {
    if (call.isOver || call.block === null) return [];
    call.isOver = true;
    const { block, signature } = call;
    const rest = call.isCustom ? [this.delta(block, afterInput)] : [];
    return [...rest, { type: 'tool-call-end', choice: this.choice, block, ...(signature && { signature }) }];
  }
}

/** A piece of free text as one of the arguments. */
function freeText(call: ReadCall, input: unknown): string {
  const before = call.isCustom ? '' : beforeInput;
  call.isCustom = true;
  return before + (typeof input === 'string' ? escapedInput(input) : '');
}

/**
 * Ollama and some others give arguments as an object: https://github.com/ollama/ollama/blob/main/docs/api.md
 */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return isRecord(value) ? JSON.stringify(value) : '';
}
