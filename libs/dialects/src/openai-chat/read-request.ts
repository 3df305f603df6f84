import { invalid, RequestFields } from '../canonical/request-fields';
import { askedTurn, chatTurnKind, MediaTally } from '../media/asked-turn';
import type { InputTokens, Need, SurfaceRequest } from '../surface-dialect';
import { isRecord, recordIn } from '../wire/json-value';
import { readMediaPart } from './media-part';

/**
 * Validates a parsed chat completion request: strict about what the public API names, silent about everything
 * else.
 * @throws GatewayError 400 naming the field.
 */
export function readRequest(body: unknown, bodyBytes: number): SurfaceRequest {
  const settings = readSettings(body);
  const fields = isRecord(body) ? body : {};
  const messages = readMessages(fields.messages);
  const tally = mediaTallyOf(messages);
  return Object.assign(settings, tally.inputTokens(bodyBytes), needsOf(fields, tally));
}

/** What all requests of OpenAI's older formats have in common. @throws GatewayError 400 naming the field. */
export function readSettings(body: unknown): Omit<SurfaceRequest, keyof InputTokens | 'needs'> {
  if (!isRecord(body)) throw invalid('', 'must be a JSON object');
  const fields = RequestFields.of(body, '');
  const { model } = body;
  if (typeof model !== 'string' || model === '') throw invalid('model', 'is required and must be a non-empty string');
  const stream = fields.boolean('stream') ?? false;
  fields.checkRange('temperature', 2);
  fields.checkRange('top_p', 1);
  checkStop(body.stop);
  checkAnswers(body.n);
  const maxTokens = readLimit(body.max_tokens, 'max_tokens');
  const maxCompletionTokens = readLimit(body.max_completion_tokens, 'max_completion_tokens');
  return {
    model,
    stream,
    includeUsage: stream && asksForUsage(fields, body),
    maxOutputTokens: outputLimit(maxTokens, maxCompletionTokens, body.n),
    endUser: endUserOf(body),
  };
}

/** OpenRouter's clients ask by `usage`: https://openrouter.ai/docs/use-cases/usage-accounting */
function asksForUsage(fields: RequestFields, body: Record<string, unknown>): boolean {
  const isAsked = fields.nested('stream_options')?.boolean('include_usage');
  return isAsked === true || recordIn(body, 'usage').include === true;
}

/**
 * `safety_identifier` takes the place of `user`; an empty one names nobody.
 * https://platform.openai.com/docs/api-reference/chat/create#chat_create-safety_identifier
 */
export function endUserOf({ safety_identifier: identifier, user }: Record<string, unknown>): string | undefined {
  if (typeof identifier === 'string' && identifier.trim() !== '') return identifier;
  return typeof user === 'string' ? user : undefined;
}

function readMessages(messages: unknown): readonly unknown[] {
  if (!Array.isArray(messages) || messages.length === 0)
    throw invalid('messages', 'is required and must be a non-empty array');
  for (let i = 0; i < messages.length; i++) {
    const message: unknown = messages[i];
    if (!isRecord(message)) throw invalid(`messages[${i}]`, 'must be an object');
    if (typeof message.role !== 'string' || message.role === '') {
      throw invalid(`messages[${i}].role`, 'is required and must be a non-empty string');
    }
  }
  return messages;
}

function readLimit(value: unknown, name: string): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
    throw invalid(name, 'must be a positive integer');
  return value;
}

/**
 * How many answers one request may ask for:
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-n
 */
const mostAnswers = 128;

/** @throws GatewayError 400 where it is no number of answers. */
export function checkAnswers(n: unknown, name = 'n'): void {
  if (n === undefined || n === null) return;
  if (typeof n !== 'number' || !Number.isInteger(n) || n < 1 || n > mostAnswers)
    throw invalid(name, `must be an integer from 1 to ${mostAnswers}`);
}

function checkStop(stop: unknown): void {
  if (stop === undefined || stop === null || typeof stop === 'string') return;
  if (!Array.isArray(stop)) throw invalid('stop', 'must be a string or an array of strings');
  if (stop.length > 4) throw invalid('stop', 'must hold at most 4 strings');
  if (!stop.every((item) => typeof item === 'string')) throw invalid('stop', 'must be a string or an array of strings');
}

/**
 * A caller who sends both limits is bound by the larger at most; each of `n` answers may use it up. `n` was
 * checked.
 */
function outputLimit(maxTokens: number | null, maxCompletionTokens: number | null, n: unknown): number | null {
  if (maxTokens === null && maxCompletionTokens === null) return null;
  const answers = typeof n === 'number' ? n : 1;
  return Math.min(Math.max(maxTokens ?? 0, maxCompletionTokens ?? 0) * answers, Number.MAX_SAFE_INTEGER);
}

/** What the images, files and recordings of messages come to. It runs for every request. */
function mediaTallyOf(messages: readonly unknown[]): MediaTally {
  const tally = new MediaTally();
  const asked = askedTurn(messages.length, (index) => chatTurnKind(recordIn({ turn: messages[index] }, 'turn').role));
  for (const [index, message] of messages.entries()) {
    const content = isRecord(message) ? message.content : null;
    if (Array.isArray(content)) addMedia(content, tally, index === asked);
  }
  return tally;
}

function addMedia(content: readonly unknown[], tally: MediaTally, isAsked: boolean): void {
  for (const part of content) {
    const media = readMediaPart(part);
    if (media) tally.add(media, isAsked);
  }
}

/** What a request needs its model to be able to do. */
function needsOf(body: Record<string, unknown>, tally: MediaTally): Pick<SurfaceRequest, 'needs' | 'media'> {
  const needs = new Set<Need>(tally.needs);
  if (isFilled(body.tools) || isFilled(body.functions)) needs.add('tools');
  if (recordIn(body, 'response_format').type === 'json_schema') needs.add('structured output');
  if (Array.isArray(body.modalities) && body.modalities.includes('audio')) needs.add('audio');
  return { needs: [...needs], ...tally.media };
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
