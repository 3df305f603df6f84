import { chatTooLong, writeChatError } from '../openai-chat/chat-error';
import { toldCharge } from '../openai-chat/told-charge';
import type { HostedTool } from '../request/neutral-request';
import { demand } from '../request/refusal';
import type { Spoken, SpokenUsage, Dialect } from '../speech/simulated-dialect';
import { hostedItem } from './hosted-item';
import { outputItem } from './output-item';
import { imageTokens } from './read-hosted';
import { readResponses } from './read-responses';
import type { ResponsesRequest } from './read-responses';
import { responseStream } from './response-stream';
import type { ResponsePart } from './response-stream';

const counted = [
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'text'],
  ...['truncation', 'conversation', 'previous_response_id', 'personality'],
];

/** https://platform.openai.com/docs/api-reference/responses/input-tokens */
const tokenCount: Dialect['counting'] = {
  isAsked: ({ path }) => path.endsWith('/input_tokens'),
  generation: (body, addressed) => {
    for (const name of Object.keys(body))
      demand(counted.includes(name), `Unknown parameter: '${name}'.`, { param: name, code: 'unknown_parameter' });
    return [body, addressed];
  },
  answer: (inputTokens) => ({ object: 'response.input_tokens', input_tokens: inputTokens }),
};

/** OpenAI's responses. https://platform.openai.com/docs/api-reference/responses */
export const openaiResponses: Dialect<ResponsesRequest> = {
  name: 'openai-responses',
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
    JSON.stringify(spoken.request.kept ? compacted(spoken) : ended(spoken, begun(spoken), partsOf(spoken))),
  stream: (spoken) => {
    const response = begun(spoken);
    const parts = partsOf(spoken);
    return responseStream({
      begun: response,
      ended: ended(spoken, response, parts),
      parts,
      request: spoken.request,
    });
  },
  error: writeChatError,
  tooLong: chatTooLong,
  errorInStream: (message) =>
    `event: error\ndata: ${JSON.stringify({ type: 'error', code: 'server_error', message, param: null, sequence_number: 0 })}\n\n`,
  malformed: () => 'event: response.output_text.delta\ndata: {"type":"response.output_te\n\n',
};

/** The items of the output, each with the block that it tells; null: a tool of the provider's own. */
function partsOf({ choices, newId, request }: Spoken<ResponsesRequest>): ResponsePart[] {
  const { blocks, hosted } = choices[0];
  const found = hosted.map((tool) => ({ block: null, item: hostedItem(tool, newId()) }));
  const parts = blocks.map((block) => ({ block, item: outputItem(block, newId(), request) }));
  const at = blocks.findIndex(({ type }) => type === 'text');
  return at < 0 ? parts : [...parts.slice(0, at), ...found, ...parts.slice(at)];
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
  spoken: Spoken<ResponsesRequest>,
  response: Record<string, unknown>,
  parts: readonly ResponsePart[],
): Record<string, unknown> {
  const { choices, usage } = spoken;
  const { finish, hosted } = choices[0];
  const reason = finish === 'length' ? 'max_output_tokens' : finish === 'filter' ? 'content_filter' : null;
  return {
    ...response,
    status: reason === null ? 'completed' : 'incomplete',
    incomplete_details: reason && { reason },
    output: parts.map(({ item }) => item),
    ...(hosted.includes('imageGeneration') && { tool_usage: { image_gen: imageUsage } }),
    usage: usage && { ...usageOf(usage), ...toldByXai(spoken) },
  };
}

/** https://github.com/Wei-Shaw/sub2api/issues/4644 */
const imageUsage = {
  input_tokens: imageTokens.text,
  input_tokens_details: { text_tokens: imageTokens.text, image_tokens: 0 },
  output_tokens: imageTokens.image,
  output_tokens_details: { text_tokens: 0, image_tokens: imageTokens.image },
  total_tokens: imageTokens.text + imageTokens.image,
};

/**
 * Its tools, and what it charges. https://docs.x.ai/developers/tools/tool-usage-details
 * https://docs.x.ai/developers/cost-tracking
 */
function toldByXai(spoken: Spoken<ResponsesRequest>): object {
  const { request, choices } = spoken;
  if (!request.isXai) return {};
  const uses = (tool: HostedTool): number => choices[0].hosted.filter((one) => one === tool).length;
  return {
    num_server_side_tools_used: choices[0].hosted.length,
    server_side_tool_usage_details: {
      web_search_calls: uses('webSearch'),
      x_search_calls: uses('xSearch'),
      x_posts_fetched: uses('xSearch') > 0 ? (request.fees?.xPost ?? 0) : 0,
      code_interpreter_calls: uses('codeExecution'),
      file_search_calls: uses('fileSearch'),
      mcp_calls: 0,
      document_search_calls: 0,
    },
    ...toldCharge(spoken),
  };
}

/** https://platform.openai.com/docs/api-reference/responses/compact */
function compacted(spoken: Spoken<ResponsesRequest>): Record<string, unknown> {
  const { newId, nowS, usage, request } = spoken;
  const items = partsOf(spoken).flatMap(({ item }) => (item.type === 'compaction' ? [item] : []));
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
    input_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: usage.cacheWriteTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}
