import { isRecord } from '../wire/json-value';

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool#response */
function isSearch(block: unknown): boolean {
  if (!isRecord(block)) return false;
  const { type, name } = block;
  return type === 'web_search_tool_result' || (type === 'server_tool_use' && name === 'web_search');
}

/** The messages without the searches of the web that earlier answers hold: only Anthropic can read what it sealed into them, and the text behind them says what they found. `lost` tells it to the caller. */
export function withoutSearches(said: readonly unknown[]): { messages: unknown[]; lost: string[] } {
  const lost: string[] = [];
  const messages = said.map((message, index) => {
    if (!isRecord(message) || message.role !== 'assistant' || !Array.isArray(message.content)) return message;
    const content = message.content.filter((block) => !isSearch(block));
    if (content.length === message.content.length) return message;
    lost.push(`the web searches of messages[${index}] were dropped: what they found stands in the answer after them`);
    return { ...message, content };
  });
  return { messages, lost };
}
