import { countTextTokens } from '../tokens/o200k';
import { isRecord, recordIn } from '../wire/json-value';
import { mediaIn } from './prompt-media';

/**
 * OpenAI's published recipe:
 * https://cookbook.openai.com/examples/how_to_count_tokens_with_tiktoken#6-counting-tokens-for-chat-completions-api-calls
 */
const tokensPerItem = 3;
const tokensOfPrimedAnswer = 3;

/**
 * Input tokens of a responses request by tokenizer: instructions, the texts of its items, tools and the
 * output schema by their JSON, images and files by the estimates of media-tokens.ts. Sealed reasoning counts
 * nothing. 0 for a body that is no object.
 */
export function countInputTokens(body: unknown): number {
  if (!isRecord(body)) return 0;
  let tokens = tokensOfPrimedAnswer + textTokens(body.instructions) + textTokens(body.input);
  for (const item of Array.isArray(body.input) ? (body.input as unknown[]) : [])
    if (isRecord(item)) tokens += itemTokens(item);
  for (const media of mediaIn(body.input)) tokens += media.tokens;
  return tokens + jsonTokens(body.tools) + jsonTokens(recordIn(recordIn(body, 'text'), 'format').schema);
}

function itemTokens(item: Record<string, unknown>): number {
  let tokens = tokensPerItem;
  for (const value of [item.content, item.output, item.summary, item.name, item.arguments, item.input])
    tokens += contentTokens(value);
  return tokens + jsonTokens(item.tools);
}

function contentTokens(content: unknown): number {
  if (!Array.isArray(content)) return textTokens(content);
  let tokens = 0;
  for (const part of content as unknown[])
    if (isRecord(part)) tokens += textTokens(part.text) + textTokens(part.refusal);
  return tokens;
}

function textTokens(value: unknown): number {
  return typeof value === 'string' ? countTextTokens(value) : 0;
}

function jsonTokens(value: unknown): number {
  return value === undefined || value === null ? 0 : countTextTokens(JSON.stringify(value));
}
