import { isRecord } from '../wire/json-value';

/**
 * What a search of the web or a machine for programs left in an earlier answer.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool#response
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool#response-format
 */
const hosted = /^(?:web_search|(?:bash_|text_editor_)?code_execution)$/;

function isOfHosted(block: unknown): boolean {
  if (!isRecord(block)) return false;
  const { type, name } = block;
  if (type === 'server_tool_use') return hosted.test(String(name));
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
