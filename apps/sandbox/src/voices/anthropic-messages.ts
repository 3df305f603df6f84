import { textIn } from '../voice/answer-plan';
import type { PlannedBlock } from '../voice/answer-plan';
import type { Spoken, SpokenStep, SpokenStream, Voice } from '../voice/voice';
import { readMessages } from './anthropic-request';

/** https://platform.claude.com/docs/en/api/errors */
const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const stopReasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'stop-sequence': 'stop_sequence',
} as const;

/** Anthropic's messages, also as Vertex AI addresses them. https://platform.claude.com/docs/en/api/messages https://platform.claude.com/docs/en/build-with-claude/streaming */
export const anthropicMessages: Voice = {
  dialect: 'anthropic-messages',
  paths: [
    { path: '/messages', stream: null },
    { path: '/*', stream: null },
  ],
  streamType: 'text/event-stream; charset=utf-8',
  read: readMessages,
  plain: (spoken) =>
    JSON.stringify({
      ...head(spoken),
      content: spoken.answer.blocks.map(contentOf),
      ...stop(spoken),
      usage: usage(spoken),
    }),
  stream,
  error: (status, message, type) => ({ body: errorBody(type ?? errorTypes[status] ?? 'api_error', message) }),
  errorInStream: (message) => `event: error\ndata: ${errorBody('overloaded_error', message)}\n\n`,
  malformed: () => 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"ty\n\n',
};

function errorBody(type: string, message: string): string {
  return JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_sandbox' });
}

function head({ model, newId }: Spoken): Record<string, unknown> {
  return { id: `msg_${newId().slice(0, 24)}`, type: 'message', role: 'assistant', model };
}

function stop({ answer }: Spoken): Record<string, unknown> {
  return { stop_reason: stopReasons[answer.finish], stop_sequence: answer.stopSequence };
}

function usage({ usage: told }: Spoken): Record<string, unknown> {
  if (!told) return {};
  return { ...inputUsage(told.inputTokens, told.cachedTokens), output_tokens: told.outputTokens };
}

/** What a cache gave is counted apart here. */
function inputUsage(inputTokens: number, cachedTokens: number): Record<string, unknown> {
  return {
    input_tokens: inputTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
  };
}

function contentOf(block: PlannedBlock): Record<string, unknown> {
  const text = textIn(block.pieces);
  switch (block.type) {
    case 'reasoning':
      return { type: 'thinking', thinking: text, signature: block.signature };
    case 'text':
      return { type: 'text', text };
    case 'tool-call':
      return { type: 'tool_use', id: `toolu_${block.id}`, name: block.name, input: JSON.parse(text) as unknown };
  }
}

function stream(spoken: Spoken): SpokenStream {
  const { answer, usage: told } = spoken;
  const early = told ? { ...inputUsage(told.inputTokens, told.cachedTokens), output_tokens: 1 } : {};
  const message = { ...head(spoken), content: [], stop_reason: null, stop_sequence: null, usage: early };
  return {
    opening: event('message_start', { message }) + event('ping', {}),
    steps: answer.blocks.flatMap(blockSteps),
    closing:
      event('message_delta', { delta: stop(spoken), usage: told ? { output_tokens: told.outputTokens } : {} }) +
      event('message_stop', {}),
  };
}

function blockSteps(block: PlannedBlock, index: number): SpokenStep[] {
  const begin = event('content_block_start', { index, content_block: emptyContent(block) });
  const deltas = block.pieces.map(({ text, tokens }) => ({
    bytes: event('content_block_delta', { index, delta: deltaOf(block, text) }),
    tokens,
  }));
  const signature =
    block.type === 'reasoning'
      ? event('content_block_delta', { index, delta: { type: 'signature_delta', signature: block.signature } })
      : '';
  return [
    { bytes: begin, tokens: block.type === 'tool-call' ? block.nameTokens : 0 },
    ...deltas,
    { bytes: signature + event('content_block_stop', { index }), tokens: 0 },
  ];
}

function emptyContent(block: PlannedBlock): Record<string, unknown> {
  if (block.type === 'reasoning') return { type: 'thinking', thinking: '', signature: '' };
  if (block.type === 'text') return { type: 'text', text: '' };
  return { type: 'tool_use', id: `toolu_${block.id}`, name: block.name, input: {} };
}

function deltaOf(block: PlannedBlock, text: string): Record<string, unknown> {
  if (block.type === 'reasoning') return { type: 'thinking_delta', thinking: text };
  if (block.type === 'text') return { type: 'text_delta', text };
  return { type: 'input_json_delta', partial_json: text };
}

function event(type: string, members: Record<string, unknown>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}
