import type { FinishReason, GenerationEvent, TokenLogprob } from '../canonical/generation-event';
import { isRecord, recordIn, parseJson, textIn } from '../wire/json-value';
import { afterInput, beforeInput, escapedInput } from '../canonical/custom-tool';
import type { ReasoningSeal } from '../canonical/generation-request';
import { isSealed } from './kept-reasoning';
import { StreamedCalls, type StreamedCall } from './streamed-calls';

type SaidKind = 'text' | 'reasoning' | 'refusal';

/** What all choices of an answer share. `nextBlock` numbers their blocks. */
export interface AnswerNumbers {
  nextBlock: () => number;
  newId: () => string;
}

/** Reads the deltas (or the whole message) of one choice into events. */
export class ChoiceReader {
  private open: { kind: SaidKind; block: number } | null = null;
  /** The text of the reasoning that is open: what seals it may repeat it. */
  private thought = '';
  private readonly calls: ToolCallReader;

  constructor(
    private readonly choice: number,
    private readonly numbers: AnswerNumbers,
  ) {
    this.calls = new ToolCallReader(choice, numbers);
  }

  /** `logprobs` are those of the delta's text. */
  read(delta: Record<string, unknown>, logprobs: TokenLogprob[]): GenerationEvent[] {
    return [
      ...this.readReasoning(delta),
      ...this.readContent(delta.content, logprobs),
      ...this.readCitations(delta.annotations),
      ...this.say('refusal', delta.refusal),
      ...this.readCalls(delta),
    ];
  }

  finish(raw: string): GenerationEvent[] {
    const reason = finishReasons[raw] ?? 'unknown';
    const calledTools = this.calls.count > 0 && (reason === 'stop' || reason === 'unknown');
    return [
      ...this.close(),
      ...this.calls.end(),
      { type: 'finish', choice: this.choice, reason: calledTools ? 'tool-calls' : reason, raw },
    ];
  }

  /**
   * DeepSeek and vLLM say reasoning_content, Groq and OpenRouter reasoning; some send the same text under
   * both names.
   */
  private readReasoning(delta: Record<string, unknown>): GenerationEvent[] {
    const events = this.say('reasoning', delta.reasoning_content ?? delta.reasoning);
    const details: unknown[] = Array.isArray(delta.reasoning_details) ? delta.reasoning_details : [];
    return [...events, ...details.flatMap((detail) => this.readDetail(detail, events.length > 0))];
  }

  /**
   * What seals reasoning comes in a detail of its own at OpenRouter; its text comes as `reasoning` too.
   * https://openrouter.ai/docs/use-cases/reasoning-tokens
   */
  private readDetail(detail: unknown, wasSaid: boolean): GenerationEvent[] {
    if (!isRecord(detail)) return [];
    const told = detail.text ?? detail.summary;
    const isRepeated = typeof told === 'string' && this.thought.endsWith(told);
    const text = wasSaid || isRepeated ? [] : this.say('reasoning', told);
    if (!isSealed(detail)) return text;
    const begun = this.open?.kind === 'reasoning' ? [] : this.begin('reasoning');
    const block = this.open?.block ?? 0;
    this.open = null;
    this.thought = '';
    const kind = (textIn(detail, 'signature') ?? '') === '' ? 'encrypted' : 'signature';
    const seal = { dialect: 'openai-chat', kind, value: JSON.stringify(detail) } as const;
    return [...text, ...begun, { type: 'reasoning-end', choice: this.choice, block, seal }];
  }

  /** Mistral's content is an array where it thinks: https://docs.mistral.ai/capabilities/reasoning/ */
  private readContent(content: unknown, logprobs: TokenLogprob[]): GenerationEvent[] {
    if (!Array.isArray(content)) return this.say('text', content, logprobs);
    return content.flatMap((part: unknown) => {
      if (!isRecord(part)) return [];
      if (part.type !== 'thinking') return this.say('text', part.text);
      const thoughts: unknown[] = Array.isArray(part.thinking) ? part.thinking : [part.thinking];
      return thoughts.flatMap((thought) => this.say('reasoning', isRecord(thought) ? thought.text : thought));
    });
  }

  private readCalls({ tool_calls: calls, function_call: called }: Record<string, unknown>): GenerationEvent[] {
    const list: unknown[] = Array.isArray(calls) ? calls : isRecord(called) ? [{ function: called }] : [];
    if (list.length === 0) return [];
    const place = (position: number): number => (list.length === 1 ? -1 : position);
    return [...this.close(), ...list.flatMap((call, position) => this.calls.read(call, place(position)))];
  }

  /** https://platform.openai.com/docs/guides/tools-web-search#output-and-citations */
  private readCitations(annotations: unknown): GenerationEvent[] {
    const told = Array.isArray(annotations) ? annotations.filter(isRecord) : [];
    if (told.length === 0) return [];
    // What comes when its text is closed already stands behind a text without words.
    const begun = this.open?.kind === 'text' ? [] : [...this.close(), ...this.begin('text')];
    const block = this.open?.block ?? 0;
    const cited = told.map((original): GenerationEvent => {
      const { url, title } = recordIn(original, 'url_citation');
      const citation = {
        dialect: 'openai-chat',
        url: typeof url === 'string' ? url : null,
        title: typeof title === 'string' ? title : null,
        original,
      } as const;
      return { type: 'citation', choice: this.choice, block, citation };
    });
    return [...begun, ...cited];
  }

  private say(kind: SaidKind, text: unknown, logprobs: TokenLogprob[] = []): GenerationEvent[] {
    if (typeof text !== 'string' || (text === '' && logprobs.length === 0)) return [];
    const begun = this.open?.kind === kind ? [] : [...this.close(), ...this.calls.endComplete(), ...this.begin(kind)];
    const block = this.open?.block ?? 0;
    const said = { choice: this.choice, block, text };
    if (kind === 'reasoning') this.thought += text;
    if (kind !== 'text') return [...begun, { type: `${kind}-delta`, ...said }];
    return [...begun, { type: 'text-delta', ...said, ...(logprobs.length > 0 && { logprobs }) }];
  }

  private begin(kind: SaidKind): GenerationEvent[] {
    const block = this.numbers.nextBlock();
    this.open = { kind, block };
    if (kind === 'reasoning') this.thought = '';
    return [{ type: `${kind}-start`, choice: this.choice, block }];
  }

  private close(): GenerationEvent[] {
    if (!this.open) return [];
    const { kind, block } = this.open;
    this.open = null;
    return [{ type: `${kind}-end`, choice: this.choice, block }];
  }
}

/**
 * https://platform.openai.com/docs/api-reference/chat/object, and the words of vLLM, Mistral and Together.
 */
const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop-sequence',
  length: 'length',
  max_tokens: 'length',
  model_length: 'context-length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  tool_use: 'tool-calls',
  content_filter: 'content-filter',
};

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
class ToolCallReader {
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
    if (typeof signature === 'string' && signature !== '')
      call.signature = { dialect: 'gemini', kind: 'signature', value: signature };
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
