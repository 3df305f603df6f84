import { isRecord } from '../wire/json-value';

/**
 * What tools that run at Anthropic left in an earlier answer: searches of the web and of tools, pages,
 * machines for programs, servers of MCP and the advice of another model.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool#response
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-fetch-tool#response
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool#response-format
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool#response-format
 * https://platform.claude.com/docs/en/agents-and-tools/mcp-connector#response-content-types
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/advisor-tool
 */
const hosted = /^(?:web_search|web_fetch|tool_search(?:_tool_\w+)?|(?:bash_|text_editor_)?code_execution|mcp|advisor)$/;

function isOfHosted(block: unknown): boolean {
  if (!isRecord(block)) return false;
  const { type, name } = block;
  if (type === 'server_tool_use') return hosted.test(String(name));
  if (type === 'mcp_tool_use' || type === 'mcp_tool_listing') return true;
  return typeof type === 'string' && type.endsWith('_tool_result') && hosted.test(type.replace(/_tool_result$/, ''));
}

/**
 * The messages without the calls that Anthropic answered itself and what they gave: only Anthropic can read
 * what it sealed into them, and the text behind them says what came of it. `lost` tells it to the caller.
 */
export function withoutHostedCalls(said: readonly unknown[]): { messages: unknown[]; lost: string[] } {
  const lost: string[] = [];
  const messages = said.map((message, index) => {
    if (!isRecord(message) || message.role !== 'assistant' || !Array.isArray(message.content)) return message;
    const content = message.content.filter((block) => !isOfHosted(block));
    if (content.length === message.content.length) return message;
    lost.push(`what ran at Anthropic for messages[${index}] was dropped: what it found stands in the answer after it`);
    return { ...message, content };
  });
  return { messages, lost };
}
