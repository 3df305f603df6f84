import { webPage } from '../request/neutral-request';
import type { HostedTool, Sampling } from '../request/neutral-request';
import type { SpokenUsage } from '../speech/simulated-dialect';

type Json = Record<string, unknown>;

/** A block that Anthropic's own tool writes: how it begins in a stream, what follows there, and the whole of it. */
export interface ServerBlock {
  begun: Json;
  delta: Json | null;
  whole: Json;
}

/** A search of the web and what it found. `id`: the call's own. https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool#response */
export function searchBlocks(id: string): ServerBlock[] {
  const found = {
    type: 'web_search_result',
    url: webPage.url,
    title: webPage.title,
    encrypted_content: 'ZXhhbXBsZQ==',
    page_age: null,
  };
  return callBlocks(id, 'web_search', { query: 'example' }, [found]);
}

/** What another model advised. https://platform.claude.com/docs/en/agents-and-tools/tool-use/advisor-tool */
export function adviceBlocks(id: string): ServerBlock[] {
  return callBlocks(id, 'advisor', {}, { type: 'advisor_result', text: 'Answer the question.' });
}

/** What stands for the conversation from now on; it comes in one piece. https://platform.claude.com/docs/en/build-with-claude/compaction-threshold */
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

/** What the usage tells of searches. */
export function searchUsage(hosted: readonly HostedTool[]): Json {
  const searches = hosted.filter((tool) => tool === 'webSearch').length;
  return searches === 0 ? {} : { server_tool_use: { web_search_requests: searches } };
}

/**
 * What the usage tells at its end: the output, and the samplings of which the answer was made where it was not one. The output beside them is what the model itself wrote, without a compaction.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/advisor-tool https://platform.claude.com/docs/en/build-with-claude/compaction-threshold
 */
export function outputUsage(samplings: readonly Sampling[], own: SpokenUsage): Json {
  const { inputTokens, cacheReadTokens: read, cacheWriteTokens: written, outputTokens } = own;
  if (samplings.length === 0) return { output_tokens: outputTokens };
  const ofItself = samplings.filter(({ kind }) => kind === 'message').reduce((sum, one) => sum + one.outputTokens, 0);
  return {
    output_tokens: outputTokens + ofItself,
    iterations: [
      ...samplings.map(({ kind, model, ...tokens }) => ({
        ...{ type: kind, ...(kind === 'advisor_message' && { model }) },
        ...{ input_tokens: tokens.inputTokens, output_tokens: tokens.outputTokens },
        ...{ cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
      })),
      {
        ...{ type: 'message', input_tokens: inputTokens - read - written, output_tokens: outputTokens },
        ...{ cache_read_input_tokens: read, cache_creation_input_tokens: written },
      },
    ],
  };
}
