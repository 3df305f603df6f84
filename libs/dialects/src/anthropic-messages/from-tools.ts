import type { CanonicalRequest, ToolChoice, ToolDefinition } from '../canonical/generation-request';
import { RequestFields, invalid } from '../canonical/request-fields';
import { readDomains, readLocation, type WebSearch } from '../canonical/web-search';
import { isRecord, recordIn, textIn } from '../wire/json-value';
import { readCacheControl } from './cache-control';
import { clientTool } from './client-tools';

/**
 * Reads `tools`. Those that the client runs are functions to other models. @throws GatewayError 400 for tools
 * that Anthropic runs itself: but for a search of the web and a machine for programs, no other provider has
 * them.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview
 */
export function fromTools(
  tools: readonly unknown[],
  unread: string[],
): { tools: ToolDefinition[]; webSearch?: WebSearch; codeExecution?: true } {
  let webSearch: WebSearch | undefined;
  const runsCode = tools.some((tool) => isRecord(tool) && machines.test(String(tool.type)));
  const own = tools.flatMap((tool, i) => {
    const fields = RequestFields.of(tool, `tools[${i}]`);
    const type = fields.text('type') ?? 'custom';
    if (searches.test(type)) {
      webSearch = fromWebSearch(fields, unread);
      return [];
    }
    if (machines.test(type) || searchesOfTools.test(type)) return [];
    const known = clientTool(type);
    if (type !== 'custom' && !known)
      throw invalid(fields.path('type'), `has the value '${type}', a tool of Anthropic's own models`);
    // How much of a file is shown is the client's own affair, who reads it.
    if (known) fields.ignore('max_characters');
    const definition = {
      name: fields.requiredText('name'),
      description: known?.description ?? fields.text('description'),
      parameters: known?.parameters ?? fields.object('input_schema'),
      strict: fields.boolean('strict'),
      ...readCacheControl(fields, unread),
    };
    fields.finish(unread);
    return [definition];
  });
  return { tools: own, ...(webSearch && { webSearch }), ...(runsCode && { codeExecution: true }) };
}

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool */
const searches = /^web_search_\d{8}$/;
/**
 * Searches among tools that are all in the request, which other models are shown at once.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool
 */
const searchesOfTools = /^tool_search_tool_(?:regex|bm25)(?:_\d{8})?$/;
/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool */
const machines = /^code_execution_\d{8}$/;

function fromWebSearch(fields: RequestFields, unread: string[]): WebSearch {
  // Its definition is not in the prompt of other models, to be cached there or shown late.
  fields.ignore('name', 'cache_control', 'defer_loading', 'allowed_callers', 'strict');
  const maxUses = fields.integer('max_uses');
  const allowedDomains = readDomains(fields, 'allowed_domains');
  const blockedDomains = readDomains(fields, 'blocked_domains');
  const location = readLocation(fields.nested('user_location'), unread);
  fields.finish(unread);
  return {
    isDispensable: false,
    ...(maxUses !== undefined && { maxUses }),
    ...(allowedDomains && { allowedDomains }),
    ...(blockedDomains && { blockedDomains }),
    ...location,
  };
}

/**
 * Reads `tool_choice` with its switch for parallel calls. A search of the web is chosen by the name that it
 * has at Anthropic.
 */
export function fromToolChoice(
  fields: RequestFields | undefined,
  { webSearch }: Pick<CanonicalRequest, 'webSearch'>,
  unread: string[],
): Pick<CanonicalRequest, 'toolChoice' | 'parallelToolCalls'> {
  if (fields === undefined) return {};
  const disabled = fields.boolean('disable_parallel_tool_use');
  const choice = choiceOf(fields);
  fields.finish(unread);
  const choosesSearch = webSearch !== undefined && choice.type === 'tool' && choice.name === 'web_search';
  const toolChoice: ToolChoice = choosesSearch ? { type: 'web-search' } : choice;
  return { toolChoice, ...(disabled === undefined ? {} : { parallelToolCalls: !disabled }) };
}

function choiceOf(fields: RequestFields): ToolChoice {
  switch (fields.choice('type', ['auto', 'any', 'tool', 'none'])) {
    case 'auto':
      return { type: 'auto' };
    case 'any':
      return { type: 'required' };
    case 'none':
      return { type: 'none' };
    case 'tool':
      return { type: 'tool', name: fields.requiredText('name') };
    case undefined:
      throw invalid(fields.path('type'), 'is required and must be auto, any, tool or none');
  }
}

/** A conversation in which tools came and went. */
interface ToolChanges {
  tools: readonly unknown[];
  messages: readonly unknown[];
}

/**
 * The tools that are offered in the end, and the messages without the blocks that changed them: a system
 * message of Anthropic's may define a tool, and take one away again.
 * https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
 * https://github.com/langchain-ai/langchainjs/releases/tag/@langchain%2Fanthropic@1.5.12
 */
export function withToolChanges(tools: readonly unknown[], said: readonly unknown[]): ToolChanges {
  const isChanged = said.some((message) => blocksOfSystem(message).some(isToolChange));
  if (!isChanged) return { tools, messages: said };
  const offered = new Map(tools.map((tool, at) => [textIn(tool, 'name') ?? `${at}`, tool]));
  const messages = said.flatMap((message) => {
    const blocks = blocksOfSystem(message);
    if (!isRecord(message) || !blocks.some(isToolChange)) return [message];
    for (const block of blocks.filter(isToolChange)) changeTool(offered, block);
    const content = blocks.filter((block) => !isToolChange(block));
    return content.length === 0 ? [] : [{ ...message, content }];
  });
  return { tools: [...offered.values()], messages };
}

function blocksOfSystem(message: unknown): unknown[] {
  const isSystem = isRecord(message) && message.role === 'system';
  return isSystem && Array.isArray(message.content) ? message.content : [];
}

function isToolChange(block: unknown): block is Record<string, unknown> {
  return isRecord(block) && (block.type === 'tool_addition' || block.type === 'tool_removal');
}

/** A tool that is named only was offered from the start: other providers have none that wait. */
function changeTool(offered: Map<string, unknown>, block: Record<string, unknown>): void {
  const tool = recordIn(block, 'tool');
  const name = textIn(tool.definition, 'name') ?? textIn(tool, 'name');
  if (name === null) return;
  if (block.type === 'tool_removal') offered.delete(name);
  else if (isRecord(tool.definition)) offered.set(name, tool.definition);
}
