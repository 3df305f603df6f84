import { GatewayError } from '@tollgate/contracts';
import type { GatewayErrorStatus, ServedTerms } from '@tollgate/contracts';
import { costMembers } from '../canonical/cost-event';
import { EventTally } from '../canonical/event-tally';
import { GatheredStream, type StreamAssembly } from '../canonical/gathered-stream';
import { RequestFields } from '../canonical/request-fields';
import { served } from '../canonical/served-terms';
import { SseTranscript } from '../canonical/sse-transcript';
import type { InputTokens, SurfaceDialect, SurfaceRequest } from '../surface-dialect';
import { toldError } from '../upstream-error/told-error';
import { isRecord, parseJson, recordIn, textIn } from '../wire/json-value';
import { mergeDelta } from '../wire/merge-delta';
import type { SseEvent } from '../wire/sse-splitter';
import { BlockReader } from './block-reader';
import { checkVersion } from './check-version';
import { countInputTokens } from './count-input-tokens';
import { HostedUses } from './hosted-uses';
import { readPrompt, readRequest } from './read-request';
import { UsageReader } from './read-usage';

/**
 * Counts what a caller of a messages stream was sent. Only whole events count; what is none of this dialect
 * is passed over.
 */
class MessagesTranscript extends SseTranscript {
  private readonly tally = new EventTally();
  /** The block that is open (a messages stream has one at a time) and how many began before it. */
  private reader: BlockReader | null = null;
  private blocks = 0;
  private readonly hosted = new HostedUses();
  private told: ServedTerms = {};

  outputTokens(): number {
    return this.tally.tokens();
  }

  served(): ServedTerms | undefined {
    return served({ units: this.hosted.units, ...this.told }).served;
  }

  protected read(event: SseEvent): void {
    const value = parseJson(event.data.toString('utf8', event.dataStart, event.dataEnd));
    if (!isRecord(value)) return;
    if (value.type === 'message_start') {
      this.told = new UsageReader('').add(recordIn(value, 'message').usage)?.served ?? {};
    } else if (value.type === 'content_block_start') {
      const block = recordIn(value, 'content_block');
      this.hosted.note(block);
      this.reader = new BlockReader(this.blocks++, block, null);
      // Names of calls count, ids do not, so none needs to be made.
      for (const piece of this.reader.open(() => '')) this.tally.add(piece);
    } else if (value.type === 'content_block_delta') {
      for (const piece of this.reader?.delta(recordIn(value, 'delta')) ?? []) this.tally.add(piece);
    }
  }
}

/** A block, and the JSON of its input as far as it came; null: it has none. */
interface Block {
  readonly content: Record<string, unknown>;
  input: string | null;
}

/** Puts the events of a message together. https://platform.claude.com/docs/en/build-with-claude/streaming */
class MessageAssembly implements StreamAssembly {
  private message: Record<string, unknown> | null = null;
  private readonly blocks = new Map<unknown, Block>();

  add(_name: string, event: Record<string, unknown>): void {
    switch (event.type) {
      case 'message_start':
        this.message = { ...recordIn(event, 'message') };
        return;
      case 'content_block_start':
        this.blocks.set(event.index, { content: { ...recordIn(event, 'content_block') }, input: null });
        return;
      case 'content_block_delta':
        return addDelta(this.blocks.get(event.index), recordIn(event, 'delta'));
      case 'message_delta':
        this.message = { ...this.message, ...recordIn(event, 'delta'), usage: this.usageWith(event.usage) };
        return;
      case 'error':
        this.message = { ...this.message, error: event.error };
    }
  }

  answer(): Record<string, unknown> | null {
    if (!this.message && this.blocks.size === 0) return null;
    return { ...this.message, content: [...this.blocks.values()].map(toContent) };
  }

  private usageWith(more: unknown): Record<string, unknown> {
    return { ...recordIn(this.message ?? {}, 'usage'), ...(isRecord(more) ? more : {}) };
  }
}

/** Anthropic's words: Claude Code and Cline make room on them, wherever in the message they stand. */
const told = (error: GatewayError) =>
  toldError(error, { words: 'prompt is too long', sentence: 'The prompt is too long.' });

/**
 * Anthropic's types where the gateway's own differ:
 * https://platform.claude.com/docs/en/api/errors#http-errors
 */
const ownTypes: Partial<Record<GatewayErrorStatus, string>> = {
  413: 'request_too_large',
  500: 'api_error',
  502: 'api_error',
};

/**
 * The gateway's error body, with the type that Anthropic's clients know, for Anthropic's outer form:
 * https://platform.claude.com/docs/en/api/errors#error-shapes
 */
function anthropicError(refusal: GatewayError): { error: object } {
  const { error } = told(refusal);
  return { error: { ...error, type: isSpent(refusal) ? 'billing_error' : (ownTypes[refusal.status] ?? error.type) } };
}

/**
 * There is no money left, other than for a moment: its clients say so, and do not take it for a limit of
 * their pace.
 */
function isSpent({ limit }: GatewayError): boolean {
  return limit?.limit === 'budget' && limit.reason === 'budget_exhausted';
}

/** Anthropic messages, as callers speak them. https://platform.claude.com/docs/en/api/messages/create */
export const anthropicMessagesSurface: SurfaceDialect = {
  name: 'anthropic-messages',
  path: '/v1/messages',
  readRequest,
  providerHeaders,
  // Anthropic's own way to keep a stream open:
  // https://platform.claude.com/docs/en/build-with-claude/streaming#ping-events
  keepAlive: Buffer.from('event: ping\ndata: {"type":"ping"}\n\n'),
  errorBody: (error, requestId) => ({ type: 'error', ...anthropicError(error), request_id: requestId }),
  streamError: (error) =>
    Buffer.from(`event: error\ndata: ${JSON.stringify({ type: 'error', ...anthropicError(error) })}\n\n`),
  closesStream: (line) => /^event: ?message_stop/.test(line),
  // A ping with members of its own: the AI SDK ends a stream at an event of a type that it does not know.
  // https://github.com/vercel/ai/blob/main/packages/anthropic/src/anthropic-api.ts
  costEvent: (cost) => Buffer.from(`event: ping\ndata: ${JSON.stringify({ type: 'ping', ...costMembers(cost) })}\n\n`),
  countInputTokens,
  // A container is a machine at Anthropic with files of its own:
  // https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool
  keepsState: (body) => isRecord(body) && body.container != null,
  answerId: (first) => textIn(first, 'id') ?? textIn(recordIn(first, 'message'), 'id'),
  transcript: () => new MessagesTranscript(),
  gatheredStream: (maxBytes) => new GatheredStream(new MessageAssembly(), maxBytes),
};

function addDelta(block: Block | undefined, { type: _, ...delta }: Record<string, unknown>): void {
  if (!block) return;
  const { partial_json: json, citation, ...rest } = delta;
  if (typeof json === 'string') block.input = (block.input ?? '') + json;
  // A list would be merged into what a block begins with, which may be null.
  if (citation !== undefined) {
    const { citations: before } = block.content;
    block.content.citations = [...(Array.isArray(before) ? (before as unknown[]) : []), citation];
  }
  mergeDelta(block.content, rest);
}

/** Input that was cut off is told as the text that it is. */
function toContent({ content, input }: Block): Record<string, unknown> {
  return input === null || input === '' ? content : { ...content, input: parseJson(input) ?? input };
}

/**
 * Validates the body of POST /v1/messages/count_tokens, which is a messages request that needs no
 * `max_tokens`.
 * @throws GatewayError 400 naming the field.
 */
export function countTokensRequest(
  body: unknown,
  bodyBytes: number,
  headers: Readonly<Record<string, string>> = {},
): Pick<SurfaceRequest, 'model' | 'needs' | 'media'> & InputTokens {
  const fields = RequestFields.of(body, '');
  checkVersion(fields, headers);
  return readPrompt(fields, body, bodyBytes);
}

/**
 * The version and the betas that a caller asked for; a caller without a version gets the provider's usual
 * one.
 * https://platform.claude.com/docs/en/api/versioning https://platform.claude.com/docs/en/api/beta-headers
 * @throws GatewayError 400 for a version that is no date.
 */
export function providerHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const { 'anthropic-version': version, 'anthropic-beta': beta } = headers;
  if (version !== undefined && !isDate(version))
    throw new GatewayError(
      400,
      "The header 'anthropic-version' must be a date of the form YYYY-MM-DD, such as 2023-06-01.",
    );
  return {
    ...(typeof version === 'string' && { 'anthropic-version': version }),
    ...(beta !== undefined && { 'anthropic-beta': typeof beta === 'string' ? beta : beta.join(',') }),
  };
}

function isDate(version: string | string[]): boolean {
  return (
    typeof version === 'string' &&
    /^\d{4}-\d{2}-\d{2}$/.test(version) &&
    !Number.isNaN(Date.parse(`${version}T00:00:00Z`))
  );
}
