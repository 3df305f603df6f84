import type { GatewayError, ServedTerms } from '@tollgate/contracts';
import { costMembers } from '../canonical/cost-event';
import { GatheredStream, type StreamAssembly } from '../canonical/gathered-stream';
import { served, servedTier } from '../canonical/served-terms';
import { SseTranscript } from '../canonical/sse-transcript';
import type { SurfaceDialect } from '../surface-dialect';
import { openaiFullContext, toldError } from '../upstream-error/told-error';
import { JsonDepthError, JsonSyntaxError } from '../wire/json-cursor';
import { isRecord, parseJson, textIn } from '../wire/json-value';
import { mergeDelta } from '../wire/merge-delta';
import type { SseEvent } from '../wire/sse-splitter';
import { ChunkReader } from './chunk-reader';
import { countInputTokens } from './count-input-tokens';
import { OutputTally } from './output-tally';
import { inOwnForm } from './own-form';
import { providerHeaders } from './provider-headers';
import { readRequest } from './read-request';

/**
 * Counts what a caller of a chat completion stream was sent. Only whole events count; what is no chunk is
 * passed over.
 */
export class ChatTranscript extends SseTranscript {
  private readonly tally = new OutputTally();
  private readonly chunks = new ChunkReader(this.tally);

  outputTokens(): number {
    return this.tally.tokens();
  }

  served(): ServedTerms | undefined {
    return served({ tier: servedTier(parseJson(this.chunks.tier)) }).served;
  }

  protected read(event: SseEvent): void {
    try {
      this.chunks.read(event.data, event.dataStart, event.dataEnd);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError || error instanceof JsonDepthError)) throw error;
    }
  }
}

/**
 * Puts the chunks of a chat completion together, without log probabilities.
 * https://platform.openai.com/docs/api-reference/chat-streaming
 */
export class ChatAssembly implements StreamAssembly {
  private top: Record<string, unknown> | null = null;
  private readonly choices = new Map<unknown, Record<string, unknown>>();

  add(_name: string, { choices, object: _, ...rest }: Record<string, unknown>): void {
    this.top ??= {};
    for (const [name, value] of Object.entries(rest)) if (value !== null) this.top[name] = value;
    if (!Array.isArray(choices)) return;
    for (const choice of choices as unknown[]) if (isRecord(choice)) this.addChoice(choice);
  }

  answer(): Record<string, unknown> | null {
    return this.top && { object: 'chat.completion', ...this.top, choices: [...this.choices.values()] };
  }

  private addChoice({ index = 0, delta, finish_reason: finish }: Record<string, unknown>): void {
    const message = {};
    const choice = this.choices.get(index) ?? { index, message, finish_reason: null };
    this.choices.set(index, choice);
    if (isRecord(delta)) mergeDelta(choice, { message: delta });
    if (typeof finish === 'string') choice.finish_reason = finish;
  }
}

const told = (error: GatewayError) => toldError(error, openaiFullContext);

/** OpenAI chat completions, as callers speak them. https://platform.openai.com/docs/api-reference/chat */
export const openaiChatSurface: SurfaceDialect = {
  name: 'openai-chat',
  path: '/v1/chat/completions',
  inOwnForm,
  readRequest,
  providerHeaders,
  keepAlive: Buffer.from(': keep-alive\n\n'),
  errorBody: (error) => told(error),
  // No [DONE] follows, so no client takes what it has for the whole answer.
  streamError: (error) => Buffer.from(`data: ${JSON.stringify(told(error))}\n\n`),
  closesStream: (line) => /^data: ?\[DONE\]/.test(line),
  // As the chunk of usage, which has no choices either; strict clients want the fields that every chunk has.
  costEvent: (cost, first) => {
    const { id, object, created, model } = isRecord(first) ? first : {};
    const chunk = { id, object, created, model, choices: [], ...costMembers(cost) };
    return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
  },
  countInputTokens,
  // `store` keeps the completion, and a spoken answer is named by an id that expires:
  // https://platform.openai.com/docs/api-reference/chat/create
  keepsState: (body) => isRecord(body) && (body.store === true || isRecord(body.audio)),
  answerId: (first) => textIn(first, 'id'),
  transcript: () => new ChatTranscript(),
  gatheredStream: (maxBytes) => new GatheredStream(new ChatAssembly(), maxBytes),
};
