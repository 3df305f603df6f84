import type { ProviderCodec } from '../canonical/codec';
import { plainNames } from '../canonical/tool-names';
import { MessagesAnswerParser } from './answer-parser';
import { readError } from './read-error';
import { support } from './support';
import { toRequest } from './to-request';

/**
 * Providers that speak Anthropic messages: Anthropic, and Claude at Vertex and Azure.
 * https://platform.claude.com/docs/en/api/messages/create
 */
export const anthropicMessagesProviderCodec: ProviderCodec = {
  name: 'anthropic-messages',
  framing: 'sse',
  support,
  // https://platform.claude.com/docs/en/api/messages/create
  toolNames: plainNames(128),
  takesExtra: (surface) => surface === 'anthropic-messages',
  toRequest,
  answerParser: (context) => new MessagesAnswerParser(context),
  readError,
};
