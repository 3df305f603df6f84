import { tokensOfPrimedAnswer, tokensPerMessage, tokensPerName } from '../tokens/message-frame';
import { countTextTokens } from '../tokens/o200k';
import { isRecord } from '../wire/json-value';
import { readMediaPart } from './media-part';

/**
 * Input tokens of a chat completion request by tokenizer. Messages by OpenAI's recipe (message-frame.ts);
 * tools, functions, the response format's schema and the tool calls of earlier turns by their JSON text;
 * images, recordings and files by the estimates of media-tokens.ts. 0 for a body that is no object.
 */
export function countInputTokens(body: unknown): number {
  if (!isRecord(body)) return 0;
  let tokens = tokensOfPrimedAnswer;
  for (const message of Array.isArray(body.messages) ? (body.messages as unknown[]) : [])
    tokens += messageTokens(message);
  for (const definitions of [body.tools, body.functions, schemaOf(body.response_format)])
    tokens += jsonTokens(definitions);
  return tokens;
}

function messageTokens(message: unknown): number {
  if (!isRecord(message)) return tokensPerMessage;
  let tokens = tokensPerMessage;
  for (const [name, value] of Object.entries(message)) {
    if (name === 'content') tokens += contentTokens(value);
    else if (typeof value === 'string') tokens += countTextTokens(value);
    else if (name === 'tool_calls' || name === 'function_call') tokens += jsonTokens(value);
    if (name === 'name') tokens += tokensPerName;
  }
  return tokens;
}

function contentTokens(content: unknown): number {
  if (typeof content === 'string') return countTextTokens(content);
  if (!Array.isArray(content)) return 0;
  let tokens = 0;
  for (const part of content as unknown[]) tokens += partTokens(part);
  return tokens;
}

function partTokens(part: unknown): number {
  const media = readMediaPart(part);
  if (media) return media.tokens;
  if (!isRecord(part)) return 0;
  if (typeof part.text === 'string') return countTextTokens(part.text);
  return typeof part.refusal === 'string' ? countTextTokens(part.refusal) : 0;
}

function schemaOf(responseFormat: unknown): unknown {
  return isRecord(responseFormat) ? responseFormat.json_schema : undefined;
}

function jsonTokens(value: unknown): number {
  return value === undefined || value === null ? 0 : countTextTokens(JSON.stringify(value));
}
