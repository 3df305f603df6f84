import { audioTokens, fileTokens, imageTokens } from '../tokens/media-tokens';
import { tokensPerMessage } from '../tokens/message-frame';
import { tokensAbout } from '../tokens/text-density';
import type { CanonicalRequest, FilePart, MessagePart, ToolDefinition } from './generation-request';

/**
 * About how many tokens the input of a request has, at a glance: of each text only the beginning is looked
 * at, so that a long prompt takes no longer than a short one. For what must be told before a provider has
 * counted; nothing is charged by it.
 */
export function aboutInputTokens({ messages, tools = [] }: Pick<CanonicalRequest, 'messages' | 'tools'>): number {
  let tokens = 0;
  for (const { parts } of messages) {
    tokens += tokensPerMessage;
    for (const part of parts) tokens += ofPart(part);
  }
  for (const tool of tools) tokens += ofTool(tool);
  return Math.ceil(tokens);
}

function ofPart(part: MessagePart): number {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
      return tokensAbout(part.text);
    case 'tool-call':
      return tokensAbout(part.name) + tokensAbout(part.arguments);
    case 'tool-result':
      return part.content.reduce((sum, inner) => sum + ofPart(inner), 0);
    case 'image':
      return imageTokens(part.detail);
    case 'audio':
      return audioTokens(dataLength(part));
    case 'file':
      return fileTokens(dataLength(part));
  }
}

function dataLength({ source }: Pick<FilePart, 'source'>): number {
  return source.kind === 'data' ? source.data.length : 0;
}

function ofTool({ name, description = '', parameters }: ToolDefinition): number {
  return tokensAbout(name) + tokensAbout(description) + tokensAbout(parameters ? JSON.stringify(parameters) : '');
}
