import type { NeutralRequest } from '../voice/neutral-request';
import { isRecord } from '../voice/record';
import { RequestError } from './request-error';
import { readWishes } from './wishes';

/** A chat completion request as the sandbox understands it. `maxTokens` null: no limit. `tool` null: the answer is text. */
export interface ChatRequest {
  model: string;
  messages: readonly unknown[];
  stream: boolean;
  includeUsage: boolean;
  maxTokens: number | null;
  stops: readonly string[];
  choices: number;
  /** What an answer that is more than words depends on; null: the answer is words. */
  wishes: NeutralRequest | null;
}

/** Reads a parsed body. @throws RequestError where OpenAI's API would answer 400. */
export function readChatRequest(body: unknown): ChatRequest {
  if (!isRecord(body)) throw new RequestError('We could not parse the JSON body of your request.', null);
  const { model, messages, stream } = body;
  if (typeof model !== 'string' || model === '') throw new RequestError('you must provide a model parameter', 'model');
  if (messages === undefined)
    throw new RequestError("Missing required parameter: 'messages'.", 'messages', 'missing_required_parameter');
  if (!Array.isArray(messages)) throw typeError('messages', 'an array of objects');
  if (messages.length === 0) throw new RequestError("Invalid 'messages': empty array.", 'messages', 'empty_array');
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') throw typeError('stream', 'a boolean');
  if (stream !== true && isRecord(body.stream_options)) {
    throw new RequestError(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      'stream_options',
    );
  }
  if (body.max_tokens != null && body.max_completion_tokens != null) {
    throw new RequestError(
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      'max_tokens',
    );
  }
  checkRange(body.temperature, 'temperature', 2);
  checkRange(body.top_p, 'top_p', 1);
  return {
    model,
    messages,
    stream: stream === true,
    includeUsage:
      (isRecord(body.stream_options) && body.stream_options.include_usage === true) || tellsUsageUnasked(model),
    maxTokens: limit(body.max_tokens, 'max_tokens') ?? limit(body.max_completion_tokens, 'max_completion_tokens'),
    stops: readStops(body.stop),
    choices: readChoices(body.n),
    wishes: readWishes(body, messages, model),
  };
}

/** Mistral's streams end with usage whether or not it was asked for: https://docs.mistral.ai/api/#tag/chat */
function tellsUsageUnasked(model: string): boolean {
  return /^(?:mistral|ministral|magistral|codestral|devstral|pixtral|open-mi)/.test(model);
}

function checkRange(value: unknown, param: string, maximum: number): void {
  if (value === undefined || value === null) return;
  if (typeof value !== 'number') throw typeError(param, 'a decimal');
  if (value < 0 || value > maximum) {
    throw new RequestError(
      `Invalid '${param}': decimal out of range. Expected a value from 0 to ${maximum}.`,
      param,
      'decimal_out_of_range',
    );
  }
}

function limit(value: unknown, param: string): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw typeError(param, 'an integer');
  if (value < 1)
    throw new RequestError(
      `Invalid '${param}': integer below minimum value. Expected a value >= 1.`,
      param,
      'integer_below_min_value',
    );
  return value;
}

function readStops(stop: unknown): readonly string[] {
  if (stop === undefined || stop === null) return [];
  const stops: unknown[] = Array.isArray(stop) ? stop : [stop];
  if (stops.length > 4)
    throw new RequestError(
      "Invalid 'stop': array too long. Expected at most 4 items.",
      'stop',
      'array_above_max_length',
    );
  return stops.map((item) => {
    if (typeof item !== 'string') throw typeError('stop', 'a string or an array of strings');
    return item;
  });
}

function readChoices(n: unknown): number {
  if (n === undefined || n === null) return 1;
  if (typeof n !== 'number' || !Number.isInteger(n) || n < 1 || n > 128)
    throw typeError('n', 'an integer from 1 to 128');
  return n;
}

function typeError(param: string, expected: string): RequestError {
  return new RequestError(`Invalid type for '${param}': expected ${expected}.`, param, 'invalid_type');
}
