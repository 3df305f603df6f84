import type { GatewayError } from '@tollgate/contracts';
import { costMembers } from '../canonical/cost-event';
import { GatheredStream } from '../canonical/gathered-stream';
import type { SurfaceDialect } from '../surface-dialect';
import { isRecord, textIn } from '../wire/json-value';
import { countInputTokens } from './count-input-tokens';
import { inOwnForm } from './own-form';
import { providerHeaders } from './provider-headers';
import { readRequest } from './read-request';
import { ChatTranscript } from './transcript';
import { ChatAssembly } from './chat-assembly';
import { openaiFullContext, toldError } from '../upstream-error/told-error';

const told = (error: GatewayError) => toldError(error, openaiFullContext);

/** OpenAI chat completions, as callers speak them. https://platform.openai.com/docs/api-reference/chat */
export const openaiChatSurface: SurfaceDialect = {
  name: 'openai-chat',
  path: '/v1/chat/completions',
  inOwnForm,
  readRequest,
  providerHeaders,
  keepAlive: Buffer.from(': keep-alive\n\n'),
  errorBody: (error) => told(error),
  // No [DONE] follows, so no client takes what it has for the whole answer.
  streamError: (error) => Buffer.from(`data: ${JSON.stringify(told(error))}\n\n`),
  closesStream: (line) => /^data: ?\[DONE\]/.test(line),
  // As the chunk of usage, which has no choices either; strict clients want the fields that every chunk has.
  costEvent: (cost, first) => {
    const { id, object, created, model } = isRecord(first) ? first : {};
    const chunk = { id, object, created, model, choices: [], ...costMembers(cost) };
    return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
  },
  countInputTokens,
  // `store` keeps the completion, and a spoken answer is named by an id that expires:
  // https://platform.openai.com/docs/api-reference/chat/create
  keepsState: (body) => isRecord(body) && (body.store === true || isRecord(body.audio)),
  answerId: (first) => textIn(first, 'id'),
  transcript: () => new ChatTranscript(),
  gatheredStream: (maxBytes) => new GatheredStream(new ChatAssembly(), maxBytes),
};
