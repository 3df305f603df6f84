import type { GatewayError, GatewayErrorStatus } from '@tollgate/contracts';
import { GatheredStream } from '../canonical/gathered-stream';
import type { SurfaceDialect } from '../surface-dialect';
import { isRecord, recordIn, textIn } from '../wire/json-value';
import { costEvent } from '../canonical/cost-event';
import { countInputTokens } from './count-input-tokens';
import { providerHeaders } from './provider-headers';
import { readRequest } from './read-request';
import { MessagesTranscript } from './transcript';
import { MessageAssembly } from './message-assembly';
import { toldError } from '../upstream-error/told-error';

/** Anthropic's words: Claude Code and Cline make room on them, wherever in the message they stand. */
const told = (error: GatewayError) =>
  toldError(error, { words: 'prompt is too long', sentence: 'The prompt is too long.' });

/**
 * Anthropic's types where the gateway's own differ:
 * https://platform.claude.com/docs/en/api/errors#http-errors
 */
const ownTypes: Partial<Record<GatewayErrorStatus, string>> = {
  413: 'request_too_large',
  500: 'api_error',
  502: 'api_error',
};

/**
 * The gateway's error body, with the type that Anthropic's clients know, for Anthropic's outer form:
 * https://platform.claude.com/docs/en/api/errors#error-shapes
 */
function anthropicError(refusal: GatewayError): { error: object } {
  const { error } = told(refusal);
  return { error: { ...error, type: isSpent(refusal) ? 'billing_error' : (ownTypes[refusal.status] ?? error.type) } };
}

/**
 * There is no money left, other than for a moment: its clients say so, and do not take it for a limit of
 * their pace.
 */
function isSpent({ limit }: GatewayError): boolean {
  return limit?.limit === 'budget' && limit.reason === 'budget_exhausted';
}

/** Anthropic messages, as callers speak them. https://platform.claude.com/docs/en/api/messages/create */
export const anthropicMessagesSurface: SurfaceDialect = {
  name: 'anthropic-messages',
  path: '/v1/messages',
  readRequest,
  providerHeaders,
  // Anthropic's own way to keep a stream open:
  // https://platform.claude.com/docs/en/build-with-claude/streaming#ping-events
  keepAlive: Buffer.from('event: ping\ndata: {"type":"ping"}\n\n'),
  errorBody: (error, requestId) => ({ type: 'error', ...anthropicError(error), request_id: requestId }),
  streamError: (error) =>
    Buffer.from(`event: error\ndata: ${JSON.stringify({ type: 'error', ...anthropicError(error) })}\n\n`),
  closesStream: (line) => /^event: ?message_stop/.test(line),
  costEvent: (cost) => costEvent(cost),
  countInputTokens,
  // A container is a machine at Anthropic with files of its own:
  // https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool
  keepsState: (body) => isRecord(body) && body.container != null,
  answerId: (first) => textIn(first, 'id') ?? textIn(recordIn(first, 'message'), 'id'),
  transcript: () => new MessagesTranscript(),
  gatheredStream: (maxBytes) => new GatheredStream(new MessageAssembly(), maxBytes),
};
