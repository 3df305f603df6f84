import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerParser, ParseContext } from '../canonical/codec';
import type { FinishReason, GenerationEvent } from '../canonical/generation-event';
import { served, servedTier } from '../canonical/served-terms';
import { readErrorInAnswer } from '../openai-chat/read-error';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { isRecord, recordIn } from '../wire/json-value';
import { ItemReader, type ItemContext } from './item-reader';
import { readUsage, toolsSeen } from './read-usage';

/**
 * Reads an answer of this dialect. Events that OpenAI may add later, and the doings of its own tools, are
 * passed over. https://platform.openai.com/docs/api-reference/responses-streaming
 */
export class ResponsesAnswerParser implements AnswerParser {
  /** True once a tool of OpenAI's own is at work. */
  isAtWork = false;
  private readonly items = new Map<number, ItemReader>();
  /** Ids of the items that were told of. */
  private readonly ids = new Set<string>();
  private blocks = 0;
  /** What the provider's own tools did, by the places of their items, as told last. */
  private readonly toolItems = new Map<unknown, Record<string, unknown>>();
  /** The response as it was when it began. */
  private begun: Record<string, unknown> = {};
  private hasStarted = false;
  private refused = false;
  private calledTools = false;

  constructor(
    private readonly context: Pick<ParseContext, 'newId'> &
      Pick<ItemContext, 'sealer'> & { providerName: string; providerId?: string },
  ) {}

  /**
   * Of a stream before its end, which tells it all: each call that has begun counts, and the tier is the one
   * that the response began with.
   */
  get served(): TokenUsage['served'] {
    return this.servedBy(this.context.providerId);
  }

  /** The same of an answer whose provider was not known when it began; undefined: it is not known now. */
  servedBy(providerId: string | undefined): TokenUsage['served'] {
    if (!this.hasStarted) return undefined;
    const units = toolsSeen({ ...this.begun, output: [...this.toolItems.values()] }, providerId);
    return served({ tier: servedTier(this.begun.service_tier), units }).served;
  }

  onEvent(name: string, value: unknown): GenerationEvent[] {
    if (!isRecord(value)) return [];
    const type = typeof value.type === 'string' ? value.type : name;
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
        return this.start(recordIn(value, 'response'));
      case 'response.output_item.added':
        return this.addItem(value.output_index, recordIn(value, 'item'));
      case 'response.output_item.done':
        return this.endItem(value.output_index, recordIn(value, 'item'));
      case 'response.completed':
      case 'response.incomplete':
        return this.finish(recordIn(value, 'response'));
      case 'response.failed':
        return [this.failure(recordIn(value, 'response').error ?? value)];
      case 'error':
        return [this.failure(value.error ?? value)];
      default:
        return isRecord(value.error) ? [this.failure(value.error)] : this.delta(type, value);
    }
  }

  onDocument(value: unknown): GenerationEvent[] {
    if (!isRecord(value) || isRecord(value.error)) return [this.failure(isRecord(value) ? value.error : value)];
    if (!Array.isArray(value.output)) return [this.broken('sent an answer that is no response')];
    return [...this.start(value), ...this.finish(value)];
  }

  onClose(): GenerationEvent[] {
    return [];
  }

  private start(response: Record<string, unknown>): GenerationEvent[] {
    if (this.hasStarted) return [];
    this.hasStarted = true;
    this.begun = response;
    const { id, model, created_at: created } = response;
    return [
      {
        type: 'start',
        id: typeof id === 'string' ? id : null,
        model: typeof model === 'string' ? model : null,
        createdAtS: typeof created === 'number' ? Math.floor(created) : null,
      },
    ];
  }

  private delta(type: string, value: Record<string, unknown>): GenerationEvent[] {
    const reader = typeof value.output_index === 'number' ? this.items.get(value.output_index) : undefined;
    return reader?.take(type, value) ?? [];
  }

  private addItem(index: unknown, item: Record<string, unknown>): GenerationEvent[] {
    const earlier = [...this.items.values()].flatMap((reader) => reader.keepPlace());
    this.noteTool(index, item);
    return [...earlier, ...this.item(index, item).open()];
  }

  private endItem(index: unknown, item: Record<string, unknown>): GenerationEvent[] {
    this.noteTool(index, item);
    return this.item(index, item).close(item);
  }

  private noteTool(index: unknown, item: Record<string, unknown>): void {
    if (String(item.type).endsWith('_call')) this.toolItems.set(index, item);
  }

  private item(index: unknown, item: Record<string, unknown>): ItemReader {
    if (typeof item.id === 'string') this.ids.add(item.id);
    const place = typeof index === 'number' ? index : this.items.size;
    const known = this.items.get(place);
    if (known) return known;
    const { sealer } = this.context;
    const reader = new ItemReader(item, {
      ...(sealer !== undefined && { sealer }),
      nextBlock: () => this.blocks++,
      newId: this.context.newId,
      onRefusal: () => (this.refused = true),
      onCall: () => (this.calledTools = true),
      onOwnTool: () => (this.isAtWork = true),
    });
    this.items.set(place, reader);
    return reader;
  }

  private finish(response: Record<string, unknown>): GenerationEvent[] {
    if (response.status === 'failed' || response.status === 'cancelled')
      return [this.failure(response.error ?? response)];
    const untold = this.untoldItems(response);
    const usage = readUsage(response);
    const { reason, raw } = this.reasonOf(response);
    return [
      ...untold,
      ...(usage ? [{ type: 'usage', usage } as const] : []),
      { type: 'finish', choice: 0, reason, raw },
      { type: 'end' },
    ];
  }

  /** Of a document all items; of a stream those that some servers tell in its last event only. */
  private untoldItems({ output }: Record<string, unknown>): GenerationEvent[] {
    if (!Array.isArray(output)) return [];
    return output.flatMap((item: unknown, index) => {
      if (!isRecord(item) || (typeof item.id === 'string' && this.ids.has(item.id))) return [];
      const reader = this.item(index, item);
      return [...reader.open(), ...reader.close(item)];
    });
  }

  private reasonOf(response: Record<string, unknown>): { reason: FinishReason; raw: string } {
    const { reason: incomplete } = recordIn(response, 'incomplete_details');
    if (incomplete === 'max_output_tokens') return { reason: 'length', raw: incomplete };
    if (incomplete === 'content_filter') return { reason: 'content-filter', raw: incomplete };
    const { status } = response;
    const raw = [incomplete, status].find((word) => typeof word === 'string') ?? 'completed';
    if (response.status === 'incomplete') return { reason: 'unknown', raw };
    if (this.calledTools) return { reason: 'tool-calls', raw };
    return { reason: this.refused ? 'refusal' : 'stop', raw };
  }

  private failure(error: unknown): GenerationEvent {
    const json = JSON.stringify(isRecord(error) ? { error } : { error: { message: 'failed' } });
    return { type: 'error', error: readErrorInAnswer(json, this.context.providerName) };
  }

  private broken(what: string): GenerationEvent {
    return { type: 'error', error: brokenAnswer(this.context.providerName, 'malformed_answer', what) };
  }
}
