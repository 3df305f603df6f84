import { webPage } from '../request/neutral-request';
import type { HostedTool, NeutralRequest } from '../request/neutral-request';
import type { SpokenUsage } from '../speech/simulated-dialect';

type Json = Record<string, unknown>;

/**
 * A block that Anthropic's own tool writes: how it begins in a stream, what follows there, and the whole of
 * it.
 */
export interface ServerBlock {
  begun: Json;
  delta: Json | null;
  whole: Json;
}

/** What a tool of Anthropic's own did. `id`: the call's own. */
export function hostedBlocks(tool: HostedTool, id: string): ServerBlock[] {
  if (tool === 'webSearch') return searchBlocks(id);
  if (tool === 'webFetch') return fetchBlocks(id);
  return tool === 'codeExecution' ? programBlocks(id) : [];
}

/**
 * A search of the web and what it found.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool#response
 */
function searchBlocks(id: string): ServerBlock[] {
  const found = {
    type: 'web_search_result',
    url: webPage.url,
    title: webPage.title,
    encrypted_content: 'ZXhhbXBsZQ==',
    page_age: null,
  };
  return callBlocks(id, 'web_search', { query: 'example' }, [found]);
}

/**
 * A page that was fetched.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-fetch-tool#response
 */
function fetchBlocks(id: string): ServerBlock[] {
  const { url, title, text } = webPage;
  const source = { type: 'text', media_type: 'text/plain', data: text };
  const content = { type: 'document', source, title, citations: { enabled: false } };
  const fetched = { type: 'web_fetch_result', url, content, retrieved_at: '2026-11-25T00:00:00Z' };
  return callBlocks(id, 'web_fetch', { url }, fetched);
}

/**
 * A program that ran.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool#response-format
 */
function programBlocks(id: string): ServerBlock[] {
  const ran = { type: 'bash_code_execution_result', stdout: '42\n', stderr: '', return_code: 0, content: [] };
  return callBlocks(id, 'bash_code_execution', { command: 'echo $((6 * 7))' }, ran);
}

/** What another model advised. https://platform.claude.com/docs/en/agents-and-tools/tool-use/advisor-tool */
export function adviceBlocks(id: string): ServerBlock[] {
  return callBlocks(id, 'advisor', {}, { type: 'advisor_result', text: 'Answer the question.' });
}

/**
 * Where one model's words end and those of another begin.
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback
 */
export function fallbackBlocks(from: string, to: string): ServerBlock[] {
  const trigger = { type: 'refusal', category: 'cyber' };
  const whole = { type: 'fallback', from: { model: from }, to: { model: to }, trigger };
  return [{ begun: whole, delta: null, whole }];
}

/**
 * What stands for the conversation from now on; it comes in one piece.
 * https://platform.claude.com/docs/en/build-with-claude/compaction-threshold
 */
export function compactionBlocks(): ServerBlock[] {
  const content = 'They said hello.';
  const delta = { type: 'compaction_delta', content };
  return [{ begun: { type: 'compaction', content: '' }, delta, whole: { type: 'compaction', content } }];
}

function callBlocks(id: string, name: string, input: Json, content: Json | Json[]): ServerBlock[] {
  const call = { type: 'server_tool_use', id: `srvtoolu_${id}`, name };
  const result = { type: `${name}_tool_result`, tool_use_id: call.id, content };
  return [
    {
      begun: { ...call, input: {} },
      delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
      whole: { ...call, input },
    },
    { begun: result, delta: null, whole: result },
  ];
}

/** What the usage tells of its own tools. */
export function toolUsage(hosted: readonly HostedTool[]): Json {
  const uses = (tool: HostedTool): number => hosted.filter((one) => one === tool).length;
  const told = {
    web_search_requests: uses('webSearch'),
    web_fetch_requests: uses('webFetch'),
    ...(uses('codeExecution') > 0 && { code_execution_requests: uses('codeExecution') }),
  };
  return hosted.length === 0 ? {} : { server_tool_use: told };
}

/**
 * What the usage tells at its end: the output, and the samplings of which the answer was made where it was
 * not one. The output beside them is what the model itself wrote, without a compaction. A model that declined
 * is told before the one that answered for it. What was thought is a part of the output.
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/advisor-tool
 * https://platform.claude.com/docs/en/build-with-claude/compaction-threshold
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback
 */
export function outputUsage({ samplings = [], answeredBy }: NeutralRequest, model: string, own: SpokenUsage): Json {
  const { inputTokens, cacheReadTokens: read, cacheWriteTokens: written, outputTokens, reasoningTokens } = own;
  const details = reasoningTokens > 0 ? { output_tokens_details: { thinking_tokens: reasoningTokens } } : {};
  if (samplings.length === 0 && answeredBy === undefined) return { output_tokens: outputTokens, ...details };
  const uncached = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const ofItself = samplings.filter(({ kind }) => kind === 'message').reduce((sum, one) => sum + one.outputTokens, 0);
  return {
    output_tokens: outputTokens + ofItself,
    ...details,
    iterations: [
      ...samplings.map((sampling) => ({
        ...{ type: sampling.kind, ...(sampling.kind === 'advisor_message' && { model: sampling.model }) },
        ...{ input_tokens: sampling.inputTokens, output_tokens: sampling.outputTokens, ...uncached },
      })),
      ...(answeredBy === undefined
        ? []
        : [{ type: 'message', model, input_tokens: inputTokens, output_tokens: 0, ...uncached }]),
      {
        ...(answeredBy === undefined ? { type: 'message' } : { type: 'fallback_message', model: answeredBy }),
        ...{ input_tokens: inputTokens - read - written, output_tokens: outputTokens },
        ...{ cache_read_input_tokens: read, cache_creation_input_tokens: written },
      },
    ],
  };
}
