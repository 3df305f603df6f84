import type { SurfaceCodec } from '../canonical/codec';
import { countInputTokens } from './count-input-tokens';
import { ChunkWriter } from './chunk-writer';
import { fromRequest } from './from-request';
import { toResponse } from './to-response';

/** Chat completions as callers speak them. https://platform.openai.com/docs/api-reference/chat */
export const openaiChatSurfaceCodec: SurfaceCodec = {
  name: 'openai-chat',
  turns: 'messages',
  countInputTokens,
  fromRequest,
  streamWriter: (context) => new ChunkWriter(context),
  toResponse,
};
