import { memberOf } from '../request/read-values';
import { demand, Refusal } from '../request/refusal';
import type { Dialect, ErrorReply, Spoken, WrittenError } from '../speech/simulated-dialect';
import { contentBlocks, contentOf, inputUsage, stopOf } from './message-content';
import { messageStream } from './message-stream';
import { readMessages } from './read-messages';
import { outputUsage, toolUsage } from './server-tools';

/** https://platform.claude.com/docs/en/api/errors */
const wordings: Readonly<Record<number, [type: string, message: string]>> = {
  400: ['invalid_request_error', 'The request was refused by the sandbox.'],
  401: ['authentication_error', 'invalid x-api-key'],
  402: ['billing_error', 'Your credit balance is too low to access the Anthropic API.'],
  403: ['permission_error', 'Your API key does not have permission to use the specified resource.'],
  404: ['not_found_error', 'model: not found'],
  413: ['request_too_large', 'Request exceeds the maximum size'],
  429: ['rate_limit_error', "This request would exceed your organization's rate limit."],
  500: ['api_error', 'Internal server error'],
  504: ['timeout_error', 'The request timed out while processing.'],
  529: ['overloaded_error', 'Overloaded'],
};

/** What a count does not take: it makes no answer. */
const onlyToAnswer = ['max_tokens', 'stream', 'temperature', 'top_p', 'top_k', 'stop_sequences', 'metadata'];

/** The least that there must be room for. */
function budgetIn(body: Record<string, unknown>): number {
  const { budget_tokens: budget } = memberOf(body, 'thinking');
  return typeof budget === 'number' ? budget : 0;
}

/** https://platform.claude.com/docs/en/api/messages/count_tokens */
const tokenCount: Dialect['counting'] = {
  isAsked: ({ path }) => path.endsWith('/count_tokens'),
  generation: (body, addressed) => {
    for (const name of onlyToAnswer) demand(body[name] === undefined, `${name}: Extra inputs are not permitted`);
    return [
      { ...body, max_tokens: 1 + budgetIn(body) },
      { ...addressed, path: '/messages' },
    ];
  },
  answer: (inputTokens) => ({ input_tokens: inputTokens }),
};

/**
 * Anthropic's messages, also as Vertex AI addresses them. https://platform.claude.com/docs/en/api/messages
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude
 */
export const anthropicMessages: Dialect = {
  name: 'anthropic-messages',
  paths: [
    { path: '/messages', stream: null },
    { path: '/messages/count_tokens', stream: null },
    { path: '/*', stream: null },
  ],
  counting: tokenCount,
  streamType: 'text/event-stream; charset=utf-8',
  overloadedStatus: 529,
  read: readMessages,
  plain,
  stream: (spoken) => messageStream(spoken, head(spoken)),
  error: writeMessageError,
  tooLong: messagesTooLong,
  errorInStream: (message) => `event: error\ndata: ${errorBody('overloaded_error', message)}\n\n`,
  malformed: () => 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"ty\n\n',
};

function plain(spoken: Spoken): string {
  const { request, model, choices, usage } = spoken;
  const [answer] = choices;
  return JSON.stringify({
    ...head(spoken),
    content: contentBlocks(spoken).map((block) => ('begun' in block ? block.whole : contentOf(block, request))),
    ...stopOf(answer),
    usage: usage
      ? {
          ...inputUsage(usage, request),
          ...outputUsage(request, model, usage),
          ...toolUsage(answer.hosted),
        }
      : {},
  });
}

function head({ request, model, newId }: Spoken): Record<string, unknown> {
  const by = request.answeredBy ?? model;
  return { id: `msg_${newId().slice(0, 24)}`, type: 'message', role: 'assistant', model: by };
}

function writeMessageError({ status, message, type, more }: ErrorReply): WrittenError {
  const [usualType, usualMessage] = wordings[status] ?? ['api_error', `The sandbox was told to answer ${status}.`];
  return {
    body: errorBody(type ?? usualType, message ?? usualMessage, more),
    headers: { 'request-id': 'req_sandbox' },
  };
}

function errorBody(type: string, message: string, details: object | null = null): string {
  return JSON.stringify({
    type: 'error',
    error: { type, message, ...(details && { details }) },
    request_id: 'req_sandbox',
  });
}

/** The prompt holds more than the model takes. */
function messagesTooLong(inputTokens: number): Refusal {
  const most = 200_000;
  return new Refusal(`prompt is too long: ${most + inputTokens} tokens > ${most} maximum`);
}
