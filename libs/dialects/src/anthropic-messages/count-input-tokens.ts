import { tokensOfPrimedAnswer, tokensPerMessage } from '../tokens/message-frame';
import { countTextTokens } from '../tokens/o200k';
import { isRecord, recordIn } from '../wire/json-value';
import { readMediaBlock } from './media-block';

/**
 * Input tokens of a messages request by tokenizer: text, thinking, tool calls and their results, tools and
 * the output schema by their JSON, images and documents by the estimates of media-tokens.ts. What only
 * Anthropic reads counts by its JSON. Anthropic publishes no recipe; OpenAI's is taken for what frames a
 * message and the answer. 0 for a body that is no object.
 * https://platform.claude.com/docs/en/build-with-claude/token-counting
 */
export function countInputTokens(body: unknown): number {
  if (!isRecord(body)) return 0;
  let tokens = tokensOfPrimedAnswer + contentTokens(body.system);
  for (const message of Array.isArray(body.messages) ? (body.messages as unknown[]) : [])
    tokens += tokensPerMessage + contentTokens(isRecord(message) ? message.content : undefined);
  const format = body.output_format ?? recordIn(body, 'output_config').format;
  return tokens + jsonTokens(body.tools) + jsonTokens(recordIn({ format }, 'format').schema);
}

function contentTokens(content: unknown): number {
  if (typeof content === 'string') return countTextTokens(content);
  if (!Array.isArray(content)) return 0;
  let tokens = 0;
  for (const block of content as unknown[]) if (isRecord(block)) tokens += blockTokens(block);
  return tokens;
}

function blockTokens(block: Record<string, unknown>): number {
  const media = readMediaBlock(block);
  if (media) return media.tokens;
  switch (block.type) {
    case 'text':
      return contentTokens(block.text);
    case 'thinking':
      return contentTokens(block.thinking);
    case 'redacted_thinking':
      return 0;
    case 'document':
      return documentTokens(block);
    case 'tool_use':
      return contentTokens(block.name) + jsonTokens(block.input);
    case 'tool_result':
      return contentTokens(block.content);
    default:
      return jsonTokens(block);
  }
}

function documentTokens(block: Record<string, unknown>): number {
  const source = recordIn(block, 'source');
  return contentTokens(block.title) + contentTokens(block.context) + contentTokens(source.data ?? source.content);
}

function jsonTokens(value: unknown): number {
  return value === undefined || value === null ? 0 : countTextTokens(JSON.stringify(value));
}
