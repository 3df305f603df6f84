import type { SurfaceCodec } from '../canonical/codec';
import { countInputTokens } from './count-input-tokens';
import { fromRequest } from './from-request';
import { ResponseWriter } from './response-writer';
import { toResponse } from './to-response';

/** Responses as callers speak them. https://platform.openai.com/docs/api-reference/responses */
export const openaiResponsesSurfaceCodec: SurfaceCodec = {
  name: 'openai-responses',
  turns: 'input',
  countInputTokens,
  fromRequest,
  streamWriter: (context) => new ResponseWriter(context),
  toResponse,
};
