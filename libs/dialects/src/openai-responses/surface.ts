import type { GatewayError, ServedTerms } from '@tollgate/contracts';
import { AnswerEvents } from '../canonical/answer-events';
import { dataOf, nameOf } from '../canonical/answer-pieces';
import type { AnswerParser } from '../canonical/codec';
import { costMembers } from '../canonical/cost-event';
import { EventTally } from '../canonical/event-tally';
import { GatheredStream, type StreamAssembly } from '../canonical/gathered-stream';
import { SseTranscript } from '../canonical/sse-transcript';
import { providerHeaders } from '../openai-chat/provider-headers';
import type { SurfaceDialect, Need, SurfaceRequest } from '../surface-dialect';
import { openaiFullContext, toldError } from '../upstream-error/told-error';
import { isRecord, recordIn, textIn } from '../wire/json-value';
import type { SseEvent } from '../wire/sse-splitter';
import { ResponsesAnswerParser } from './answer-parser';
import { countInputTokens } from './count-input-tokens';
import { invalid, RequestFields } from '../canonical/request-fields';
import { endUserOf } from '../openai-chat/read-request';
import type { MediaTally } from '../media/asked-turn';
import { bringsTools } from './caller-tools';
import { readState } from './kept-conversation';
import { mediaTallyOf } from './prompt-media';
import { asksForCompaction } from './summary-request';

/** An item of the output, and the text of it that came since it was told. */
interface Item {
  readonly content: Record<string, unknown>;
  text: string;
}

/**
 * Puts the events of a response together: the last that holds the response tells all of it, unless it was cut
 * off before. https://platform.openai.com/docs/api-reference/responses-streaming
 */
class ResponseAssembly implements StreamAssembly {
  private response: Record<string, unknown> | null = null;
  private readonly items = new Map<unknown, Item>();

  add(name: string, event: Record<string, unknown>): void {
    const { response, item, output_index: index, delta } = event;
    if (isRecord(response)) this.response = response;
    else if (isRecord(item)) this.items.set(index, { content: item, text: '' });
    else if (typeof delta === 'string') this.addText(index, delta);
    else if ((event.type ?? name) === 'error') this.response = { ...this.response, error: event.error ?? event };
  }

  /** An item that was cut off has what came of it in `partial`. */
  answer(): Record<string, unknown> | null {
    const { response, items } = this;
    if (!response || items.size === 0 || (Array.isArray(response.output) && response.output.length > 0))
      return response;
    const output = [...items.values()].map(({ content, text }) => (text ? { ...content, partial: text } : content));
    return { ...response, output };
  }

  private addText(index: unknown, text: string): void {
    const item = this.items.get(index);
    if (item) item.text += text;
  }
}

/** Counts what a caller of a stream was sent, by the parser of its dialect. Only whole events count. */
class StreamTranscript extends SseTranscript {
  private readonly tally = new EventTally();
  private readonly events: AnswerEvents;

  constructor(
    private readonly parser: AnswerParser & { servedBy(providerId: string | undefined): ServedTerms | undefined },
  ) {
    super();
    this.events = new AnswerEvents(parser, '');
  }

  outputTokens(): number {
    return this.tally.tokens();
  }

  served(providerId: string): ServedTerms | undefined {
    return this.parser.servedBy(providerId);
  }

  protected read(event: SseEvent): void {
    for (const read of this.events.event(nameOf(event), dataOf(event))) this.tally.add(read);
  }
}

const told = (error: GatewayError) => toldError(error, openaiFullContext);

/**
 * The largest number that clients of every language read: events are numbered upward, an error is the last
 * one, and who ends a broken stream has not counted it.
 */
const lastSequenceNumber = 2_147_483_647;

/** OpenAI responses, as callers speak them. https://platform.openai.com/docs/api-reference/responses */
export const openaiResponsesSurface: SurfaceDialect = {
  name: 'openai-responses',
  path: '/v1/responses',
  readRequest,
  providerHeaders,
  keepAlive: Buffer.from(': keep-alive\n\n'),
  errorBody: (error) => told(error),
  // OpenAI's clients throw what they find under `error`; others read the members beside it:
  // https://platform.openai.com/docs/api-reference/responses-streaming/error A code is a text in a stream of
  // OpenAI's, and the AI SDK 5 passes over an error whose code is a number:
  // https://github.com/vercel/ai/issues/6534
  streamError: (error) => {
    const { code, ...said } = told(error).error;
    const event = {
      type: 'error',
      sequence_number: lastSequenceNumber,
      code: said.type,
      message: said.message,
      param: null,
      error: { ...said, code: String(code) },
    };
    return Buffer.from(`event: error\ndata: ${JSON.stringify(event)}\n\n`);
  },
  closesStream: (line) => /^event: ?response\.(completed|incomplete|failed)/.test(line),
  // A keepalive with members of its own: OpenAI's client ends a stream at an event that it does not know.
  // https://github.com/openai/openai-node/blob/master/src/lib/responses/ResponseAccumulator.ts
  costEvent: (cost) =>
    Buffer.from(`event: keepalive\ndata: ${JSON.stringify({ type: 'keepalive', ...costMembers(cost) })}\n\n`),
  countInputTokens,
  // What does not say `store: false` is kept: https://platform.openai.com/docs/api-reference/responses/create
  keepsState: (body) =>
    isRecord(body) && (body.store !== false || body.previous_response_id != null || body.conversation != null),
  answerId: (first) => textIn(first, 'id') ?? textIn(recordIn(first, 'response'), 'id'),
  // Names of calls count, ids do not, so none needs to be made.
  transcript: () => new StreamTranscript(new ResponsesAnswerParser({ newId: () => '', providerName: '' })),
  gatheredStream: (maxBytes) => new GatheredStream(new ResponseAssembly(), maxBytes),
};

/**
 * Validates a parsed responses request: strict about what the public API names, silent about everything else.
 * https://platform.openai.com/docs/api-reference/responses/create @throws GatewayError 400 naming the field.
 */
function readRequest(body: unknown, bodyBytes: number): SurfaceRequest {
  const fields = RequestFields.of(body, '');
  const model = fields.text('model') ?? '';
  if (model === '') throw invalid('model', 'is required and must be a non-empty string');
  checkInput(fields);
  fields.checkRange('temperature', 2);
  fields.checkRange('top_p', 1);
  const maxOutputTokens = fields.integer('max_output_tokens') ?? null;
  if (maxOutputTokens !== null && maxOutputTokens < 1) throw invalid('max_output_tokens', 'must be a positive integer');
  fields.text('instructions');
  fields.list('tools');
  for (const name of ['text', 'reasoning', 'metadata']) fields.object(name);
  const tally = mediaTallyOf(fields.raw('input'));
  return {
    model,
    stream: fields.boolean('stream') ?? false,
    includeUsage: false,
    // Half a summary is none.
    maxOutputTokens: isRecord(body) && asksForCompaction(body) ? null : maxOutputTokens,
    ...tally.inputTokens(bodyBytes),
    ...needsOf(isRecord(body) ? body : {}, tally),
    state: readState(fields),
    endUser: isRecord(body) ? endUserOf(body) : undefined,
  };
}

function checkInput(fields: RequestFields): void {
  const input = fields.raw('input');
  // Where the prompt or the conversation is kept, there may be no new input; nor is there any where a
  // connection is only prepared.
  const isKept =
    fields.raw('generate') === false ||
    ['prompt', 'previous_response_id', 'conversation'].some((name) => fields.raw(name) !== undefined);
  if (input === undefined && isKept) return;
  if (typeof input === 'string') return;
  if (!Array.isArray(input) || (input.length === 0 && !isKept))
    throw invalid('input', 'is required and must be a string or a non-empty array of items');
  for (const [index, item] of input.entries()) RequestFields.of(item, `input[${index}]`);
}

function needsOf(body: Record<string, unknown>, tally: MediaTally): Pick<SurfaceRequest, 'needs' | 'media'> {
  const needs = new Set<Need>(tally.needs);
  const items = Array.isArray(body.input) ? body.input.filter(isRecord).filter(bringsTools) : [];
  if ([body, ...items].some(({ tools }) => Array.isArray(tools) && tools.length > 0)) needs.add('tools');
  if (recordIn(recordIn(body, 'text'), 'format').type === 'json_schema') needs.add('structured output');
  return { needs: [...needs], ...tally.media };
}
