import type { SurfaceCodec } from '../canonical/codec';
import { countInputTokens } from './count-input-tokens';
import { fromRequest } from './from-request';
import { MessagesStreamWriter } from './stream-writer';
import { toResponse } from './to-response';

/**
 * Anthropic messages for callers, towards any provider.
 * https://platform.claude.com/docs/en/api/messages/create
 */
export const anthropicMessagesSurfaceCodec: SurfaceCodec = {
  name: 'anthropic-messages',
  turns: 'messages',
  beginsWithUsage: true,
  countInputTokens,
  fromRequest,
  streamWriter: (context) => new MessagesStreamWriter(context),
  toResponse,
};
