import { memberOf } from '../request/read-values';
import { demand, Refusal } from '../request/refusal';
import type { Dialect, ErrorReply, Spoken, WrittenError, SpokenStep, SpokenStream } from '../speech/simulated-dialect';
import { contentBlocks, contentOf, inputUsage, stopOf, citationsOf, signatureOf, toolUseId } from './message-content';
import { readMessages } from './read-messages';
import { outputUsage, toolUsage, type ServerBlock } from './server-tools';
import type { PlannedBlock } from '../answer/planned-answer';

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

/**
 * https://platform.claude.com/docs/en/build-with-claude/streaming `head`: what a message has besides its
 * content.
 */
function messageStream(spoken: Spoken, head: Record<string, unknown>): SpokenStream {
  const { request, model, choices, usage } = spoken;
  const [answer] = choices;
  const early = usage && { ...inputUsage(usage, request), output_tokens: 1 };
  const message = { ...head, content: [], stop_reason: null, stop_sequence: null, usage: early ?? {} };
  const late = usage
    ? { ...cumulative(early ?? {}), ...outputUsage(request, model, usage), ...toolUsage(answer.hosted) }
    : {};
  return {
    opening: event('message_start', { message }) + event('ping', {}),
    steps: stepsOf(contentBlocks(spoken), request),
    closing: () => event('message_delta', { delta: stopOf(answer), usage: late }) + event('message_stop', {}),
  };
}

/**
 * What the end of a stream tells of its input once more.
 * https://platform.claude.com/docs/en/api/messages/create (MessageDeltaUsage)
 */
function cumulative(usage: Record<string, unknown>): Record<string, unknown> {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage;
  return { input_tokens, cache_creation_input_tokens, cache_read_input_tokens };
}

function* stepsOf(blocks: readonly (PlannedBlock | ServerBlock)[], request: Spoken['request']): Generator<SpokenStep> {
  for (const [index, block] of blocks.entries()) {
    if ('begun' in block) {
      yield { bytes: serverEvents(index, block), tokens: 0 };
      continue;
    }
    const tokens = block.type === 'tool-call' ? block.nameTokens : 0;
    yield { bytes: event('content_block_start', { index, content_block: emptyContent(block) }), tokens };
    for (const piece of block.pieces) {
      const delta = deltaOf(block, piece.text);
      yield { bytes: delta ? event('content_block_delta', { index, delta }) : '', tokens: piece.tokens };
    }
    const last = lastDeltas(block, request).map((delta) => event('content_block_delta', { index, delta }));
    yield { bytes: last.join('') + event('content_block_stop', { index }), tokens: 0 };
  }
}

function serverEvents(index: number, { begun, delta }: ServerBlock): string {
  return [
    event('content_block_start', { index, content_block: begun }),
    delta === null ? '' : event('content_block_delta', { index, delta }),
    event('content_block_stop', { index }),
  ].join('');
}

function emptyContent(block: PlannedBlock): Record<string, unknown> {
  switch (block.type) {
    case 'reasoning':
      return block.isRedacted
        ? { type: 'redacted_thinking', data: block.seal }
        : { type: 'thinking', thinking: '', signature: '' };
    case 'text':
      return { type: 'text', text: '', ...(block.citations.length > 0 && { citations: [] }) };
    case 'refusal':
      return { type: 'text', text: '' };
    case 'tool-call':
      return { type: 'tool_use', id: toolUseId(block.id), name: block.name, input: {} };
  }
}

function deltaOf(block: PlannedBlock, text: string): Record<string, unknown> | null {
  switch (block.type) {
    case 'reasoning':
      return block.isRedacted ? null : { type: 'thinking_delta', thinking: text };
    case 'text':
    case 'refusal':
      return { type: 'text_delta', text };
    case 'tool-call':
      return { type: 'input_json_delta', partial_json: text };
  }
}

/** What comes behind the last bit of a block. */
function lastDeltas(block: PlannedBlock, request: Spoken['request']): Record<string, unknown>[] {
  if (block.type === 'reasoning' && !block.isRedacted)
    return [{ type: 'signature_delta', signature: signatureOf(block, request) }];
  if (block.type !== 'text') return [];
  return citationsOf(block).map((citation) => ({ type: 'citations_delta', citation }));
}

function event(type: string, members: Record<string, unknown>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}
