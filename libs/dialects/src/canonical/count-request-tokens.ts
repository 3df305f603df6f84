import { audioTokens, fileTokens, imageTokens } from '../tokens/media-tokens';
import { countTextTokens } from '../tokens/o200k';
import type { CanonicalMessage, CanonicalRequest, MediaSource, MessagePart } from './generation-request';

/**
 * OpenAI's published recipe, taken for every dialect: each message is framed by 3 tokens, a name costs 1 more, and the answer is primed with 3.
 * https://cookbook.openai.com/examples/how_to_count_tokens_with_tiktoken#6-counting-tokens-for-chat-completions-api-calls
 */
const tokensPerMessage = 3;
const tokensPerName = 1;
const tokensOfPrimedAnswer = 3;

/** Input tokens of a request by tokenizer, for an answer whose provider told no usage. Pictures, sounds and files by the estimates of media-tokens.ts. */
export function countRequestTokens(request: CanonicalRequest): number {
  let tokens = tokensOfPrimedAnswer;
  for (const message of request.messages) tokens += messageTokens(message);
  for (const { name, description, parameters } of request.tools ?? [])
    tokens += jsonTokens({ name, description, parameters });
  if (request.responseFormat?.type === 'json-schema') tokens += jsonTokens(request.responseFormat.schema);
  return tokens;
}

function messageTokens({ name, parts }: CanonicalMessage): number {
  let tokens = tokensPerMessage;
  if (name !== undefined) tokens += tokensPerName + countTextTokens(name);
  for (const part of parts) tokens += partTokens(part);
  return tokens;
}

function partTokens(part: MessagePart): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return countTextTokens(part.text);
    case 'image':
      return imageTokens(part.detail);
    case 'file':
      return fileTokens(base64Characters(part.source));
    case 'audio':
      return audioTokens(base64Characters(part.source));
    case 'tool-call':
      return countTextTokens(part.name) + countTextTokens(part.arguments);
    case 'tool-result':
      return part.content.reduce((sum, inner) => sum + partTokens(inner), 0);
  }
}

/** 0 for a source that is only named: its size is unknown. */
function base64Characters(source: MediaSource): number {
  return source.kind === 'data' ? source.data.length : 0;
}

function jsonTokens(value: object): number {
  return countTextTokens(JSON.stringify(value));
}
