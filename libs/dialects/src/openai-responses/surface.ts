import type { GatewayError } from '@tollgate/contracts';
import { StreamTranscript } from '../canonical/stream-transcript';
import { GatheredStream } from '../canonical/gathered-stream';
import type { SurfaceDialect } from '../surface-dialect';
import { isRecord, recordIn, textIn } from '../wire/json-value';
import { ResponsesAnswerParser } from './answer-parser';
import { costEvent } from '../canonical/cost-event';
import { countInputTokens } from './count-input-tokens';
import { providerHeaders } from '../openai-chat/provider-headers';
import { readRequest } from './read-request';
import { ResponseAssembly } from './response-assembly';
import { openaiFullContext, toldError } from '../upstream-error/told-error';

const told = (error: GatewayError) => toldError(error, openaiFullContext);

/**
 * The largest number that clients of every language read: events are numbered upward, an error is the last
 * one, and who ends a broken stream has not counted it.
 */
const lastSequenceNumber = 2_147_483_647;

/** OpenAI responses, as callers speak them. https://platform.openai.com/docs/api-reference/responses */
export const openaiResponsesSurface: SurfaceDialect = {
  name: 'openai-responses',
  path: '/v1/responses',
  readRequest,
  providerHeaders,
  keepAlive: Buffer.from(': keep-alive\n\n'),
  errorBody: (error) => told(error),
  // OpenAI's clients throw what they find under `error`; others read the members beside it:
  // https://platform.openai.com/docs/api-reference/responses-streaming/error
  streamError: (error) => {
    const { message, type } = told(error).error;
    const event = {
      type: 'error',
      sequence_number: lastSequenceNumber,
      code: type,
      message,
      param: null,
      ...told(error),
    };
    return Buffer.from(`event: error\ndata: ${JSON.stringify(event)}\n\n`);
  },
  closesStream: (line) => /^event: ?response\.(completed|incomplete|failed)/.test(line),
  costEvent: (cost) => costEvent(cost),
  countInputTokens,
  // What does not say `store: false` is kept: https://platform.openai.com/docs/api-reference/responses/create
  keepsState: (body) =>
    isRecord(body) && (body.store !== false || body.previous_response_id != null || body.conversation != null),
  answerId: (first) => textIn(first, 'id') ?? textIn(recordIn(first, 'response'), 'id'),
  // Names of calls count, ids do not, so none needs to be made.
  transcript: () => new StreamTranscript(new ResponsesAnswerParser({ newId: () => '', providerName: '' })),
  gatheredStream: (maxBytes) => new GatheredStream(new ResponseAssembly(), maxBytes),
};
