import type { AnswerParser, ParseContext } from '../canonical/codec';
import type { GenerationEvent, TokenLogprob } from '../canonical/generation-event';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { isRecord, recordIn } from '../wire/json-value';
import { ChoiceReader } from './choice-reader';
import type { AnswerNumbers } from './choice-reader';
import { errorOf } from './completion';
import { readErrorInAnswer } from './read-error';
import { readUsage } from './read-usage';

/**
 * Finish reasons that are failures: DeepSeek ran out of capacity, OpenRouter's model broke down.
 * https://api-docs.deepseek.com/api/create-chat-completion
 */
const failedReasons = ['insufficient_system_resource', 'error'];

/**
 * Reads an answer of this dialect, with the oddities of those who speak it.
 * https://platform.openai.com/docs/api-reference/chat-streaming
 */
export class ChatAnswerParser implements AnswerParser {
  private readonly choices = new Map<number, ChoiceReader>();
  private readonly finished = new Set<number>();
  private hasStarted = false;
  private blocks = 0;
  /** Of the last chunk that told one. */
  private tier: unknown;
  private readonly numbers: AnswerNumbers;

  constructor(private readonly context: ParseContext) {
    this.numbers = { nextBlock: () => this.blocks++, newId: context.newId };
  }

  onEvent(name: string, value: unknown): GenerationEvent[] {
    if (value === '[DONE]') return [...this.finishRest(), { type: 'end' }];
    const error = name === 'error' ? JSON.stringify(value) : errorOf(value);
    if (error !== null) return [this.failure(error)];
    if (!isRecord(value)) return [];
    return [...this.start(value), ...this.readChoices(value, 'delta'), ...this.readUsage(value)];
  }

  onDocument(value: unknown): GenerationEvent[] {
    const error = errorOf(value);
    if (error !== null) return [this.failure(error)];
    if (!isRecord(value) || !Array.isArray(value.choices) || value.choices.length === 0)
      return [this.broken('sent an answer that is no chat completion')];
    return [...this.start(value), ...this.readUsage(value), ...this.readChoices(value, 'message'), { type: 'end' }];
  }

  onClose(): GenerationEvent[] {
    return [];
  }

  /**
   * A mark of the end behind at least one finish ends the others too: LiteLLM's proxy (1.106, `n` 2) tells
   * the finish of the first choice only.
   */
  private finishRest(): GenerationEvent[] {
    if (this.finished.size === 0) return [];
    const rest = [...this.choices].filter(([index]) => !this.finished.has(index));
    return rest.flatMap(([, reader]) => reader.finish(''));
  }

  private start({ id, model, created }: Record<string, unknown>): GenerationEvent[] {
    if (this.hasStarted) return [];
    this.hasStarted = true;
    return [
      {
        type: 'start',
        id: typeof id === 'string' ? id : null,
        model: typeof model === 'string' ? model : null,
        createdAtS: typeof created === 'number' && created > 0 ? Math.floor(created) : null,
      },
    ];
  }

  private readChoices({ choices }: Record<string, unknown>, member: 'delta' | 'message'): GenerationEvent[] {
    if (!Array.isArray(choices)) return [];
    return choices.flatMap((choice: unknown, position) => this.readChoice(choice, position, member));
  }

  private readChoice(choice: unknown, position: number, member: 'delta' | 'message'): GenerationEvent[] {
    if (!isRecord(choice)) return [];
    const index = typeof choice.index === 'number' ? choice.index : position;
    const reader = this.readerOf(index);
    const { finish_reason: told } = choice;
    const raw = typeof told === 'string' && told !== '' ? told : member === 'message' ? 'stop' : null;
    if (raw !== null && failedReasons.includes(raw))
      return [this.failure(JSON.stringify({ error: { code: raw, message: raw } }))];
    const events = reader.read(recordIn(choice, member), readLogprobs(choice.logprobs));
    if (raw === null) return events;
    this.finished.add(index);
    return [...events, ...reader.finish(raw)];
  }

  private readerOf(index: number): ChoiceReader {
    let reader = this.choices.get(index);
    if (!reader) this.choices.set(index, (reader = new ChoiceReader(index, this.numbers)));
    return reader;
  }

  /** Groq puts it inside `x_groq`: https://console.groq.com/docs/api-reference#chat-create */
  private readUsage(value: Record<string, unknown>): GenerationEvent[] {
    this.tier = value.service_tier ?? this.tier;
    const usage = readUsage(value.usage ?? recordIn(value, 'x_groq').usage, this.tier);
    return usage ? [{ type: 'usage', usage }] : [];
  }

  private failure(json: string): GenerationEvent {
    return { type: 'error', error: readErrorInAnswer(json, this.context.target.provider.name) };
  }

  private broken(what: string): GenerationEvent {
    return { type: 'error', error: brokenAnswer(this.context.target.provider.name, 'malformed_answer', what) };
  }
}

function readLogprobs(logprobs: unknown): TokenLogprob[] {
  const { content } = isRecord(logprobs) ? logprobs : {};
  return Array.isArray(content) ? content.flatMap((item: unknown) => readLogprob(item) ?? []) : [];
}

function readLogprob(item: unknown): TokenLogprob | null {
  const head = readToken(item);
  if (!head || !isRecord(item)) return null;
  const top: unknown[] = Array.isArray(item.top_logprobs) ? item.top_logprobs : [];
  return { ...head, top: top.flatMap((each) => readToken(each) ?? []) };
}

function readToken(item: unknown): Omit<TokenLogprob, 'top'> | null {
  if (!isRecord(item) || typeof item.token !== 'string' || typeof item.logprob !== 'number') return null;
  const bytes = Array.isArray(item.bytes) ? item.bytes.filter((byte) => typeof byte === 'number') : null;
  return { token: item.token, logprob: item.logprob, bytes };
}
