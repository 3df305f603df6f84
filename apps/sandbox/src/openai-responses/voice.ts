import { chatTooLong, writeChatError } from '../openai-chat/chat-error';
import { demand } from '../request/refusal';
import type { Spoken, SpokenUsage, Voice } from '../speech/voice';
import { outputItem } from './output-item';
import { readResponses } from './read-responses';
import type { ResponsesRequest } from './read-responses';
import { responseStream } from './response-stream';

const counted = [
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'text'],
  ...['truncation', 'conversation', 'previous_response_id', 'personality'],
];

/** https://platform.openai.com/docs/api-reference/responses/input-tokens */
const tokenCount: Voice['counting'] = {
  isAsked: ({ path }) => path.endsWith('/input_tokens'),
  generation: (body, addressed) => {
    for (const name of Object.keys(body))
      demand(counted.includes(name), `Unknown parameter: '${name}'.`, { param: name, code: 'unknown_parameter' });
    return [body, addressed];
  },
  answer: (inputTokens) => ({ object: 'response.input_tokens', input_tokens: inputTokens }),
};

/** OpenAI's responses. https://platform.openai.com/docs/api-reference/responses */
export const openaiResponses: Voice<ResponsesRequest> = {
  dialect: 'openai-responses',
  paths: [
    { path: '/responses', stream: null },
    { path: '/responses/input_tokens', stream: null },
    { path: '/responses/compact', stream: false },
  ],
  counting: tokenCount,
  streamType: 'text/event-stream; charset=utf-8',
  overloadedStatus: 503,
  read: readResponses,
  plain: (spoken) =>
    JSON.stringify(spoken.request.kept ? compacted(spoken) : ended(spoken, begun(spoken), itemsOf(spoken))),
  stream: (spoken) => {
    const response = begun(spoken);
    const items = itemsOf(spoken);
    const { blocks } = spoken.choices[0];
    return responseStream({
      begun: response,
      ended: ended(spoken, response, items),
      blocks,
      items,
      request: spoken.request,
    });
  },
  error: writeChatError,
  tooLong: chatTooLong,
  errorInStream: (message) =>
    `event: error\ndata: ${JSON.stringify({ type: 'error', code: 'server_error', message, param: null, sequence_number: 0 })}\n\n`,
  malformed: () => 'event: response.output_text.delta\ndata: {"type":"response.output_te\n\n',
};

function itemsOf({ choices, newId, request }: Spoken<ResponsesRequest>): Record<string, unknown>[] {
  return choices[0].blocks.map((block) => outputItem(block, newId(), request));
}

function begun({ model, newId, nowS, request }: Spoken<ResponsesRequest>): Record<string, unknown> {
  return {
    id: `resp_${newId()}`,
    object: 'response',
    created_at: nowS,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    model,
    output: [],
    service_tier: request.tier,
    usage: null,
    ...request.repeated,
  };
}

function ended(
  { choices, usage }: Spoken<ResponsesRequest>,
  response: Record<string, unknown>,
  items: readonly unknown[],
): Record<string, unknown> {
  const { finish } = choices[0];
  const reason = finish === 'length' ? 'max_output_tokens' : finish === 'filter' ? 'content_filter' : null;
  return {
    ...response,
    status: reason === null ? 'completed' : 'incomplete',
    incomplete_details: reason && { reason },
    output: items,
    usage: usage && usageOf(usage),
  };
}

/** https://platform.openai.com/docs/api-reference/responses/compact */
function compacted(spoken: Spoken<ResponsesRequest>): Record<string, unknown> {
  const { newId, nowS, usage, request } = spoken;
  const items = itemsOf(spoken).filter(({ type }) => type === 'compaction');
  const kept = (request.kept ?? []).map(({ content }) => ({
    id: `msg_${newId()}`,
    type: 'message',
    status: 'completed',
    role: 'user',
    content: typeof content === 'string' ? [{ type: 'input_text', text: content }] : content,
  }));
  return {
    id: `resp_${newId()}`,
    object: 'response.compaction',
    created_at: nowS,
    output: [...kept, ...items],
    usage: usage && usageOf(usage),
  };
}

function usageOf(usage: SpokenUsage): object {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cacheReadTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}
