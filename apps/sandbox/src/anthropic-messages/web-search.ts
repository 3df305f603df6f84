import { webPage } from '../request/neutral-request';

type Json = Record<string, unknown>;

/** A block that Anthropic's own tool writes: how it begins in a stream, the JSON of its input that follows there, and the whole of it. */
export interface ServerBlock {
  begun: Json;
  input: string | null;
  whole: Json;
}

/** A search of the web and what it found. `id`: the call's own. https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool#response */
export function searchBlocks(id: string): ServerBlock[] {
  const call = { type: 'server_tool_use', id: `srvtoolu_${id}`, name: 'web_search' };
  const input = { query: 'example' };
  const found = {
    type: 'web_search_result',
    url: webPage.url,
    title: webPage.title,
    encrypted_content: 'ZXhhbXBsZQ==',
    page_age: null,
  };
  const result = { type: 'web_search_tool_result', tool_use_id: call.id, content: [found] };
  return [
    { begun: { ...call, input: {} }, input: JSON.stringify(input), whole: { ...call, input } },
    { begun: result, input: null, whole: result },
  ];
}

/** What the usage tells of searches. */
export function searchUsage(searches: number): Json {
  return searches === 0 ? {} : { server_tool_use: { web_search_requests: searches } };
}
