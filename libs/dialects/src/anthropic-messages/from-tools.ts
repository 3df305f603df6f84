import type { CanonicalRequest, ToolChoice, ToolDefinition } from '../canonical/generation-request';
import { RequestFields, invalid } from '../canonical/request-fields';
import { readDomains, readLocation, type WebSearch } from '../canonical/web-search';
import { isRecord, recordIn, textIn } from '../wire/json-value';
import { readCacheControl } from './cache-control';

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

type Json = Record<string, unknown>;

/** A tool that Anthropic has described to its own models, as any other model is told of it. */
interface ClientTool {
  /** The versions that are called like this. */
  readonly types: RegExp;
  readonly description: string;
  readonly properties: Json;
  readonly required: readonly string[];
}

const text = (description: string): Json => ({ type: 'string', description });
const lineNumber = {
  type: 'integer',
  description: 'For insert: the line behind which the text goes; 0: at the start.',
};
const viewRange = {
  type: 'array',
  items: { type: 'integer' },
  description: 'For view: the first and the last line, counted from 1; a last line of -1 means the end of the file.',
};
const edits = {
  file_text: text('For create: all of the new file.'),
  old_str: text('For str_replace: the text to replace, exactly as it stands in the file, and only once.'),
  new_str: text('For str_replace: what stands there afterwards.'),
  insert_line: lineNumber,
  view_range: viewRange,
};
const command = (names: readonly string[]): Json => ({ type: 'string', enum: names, description: 'What to do.' });

/**
 * Tools that Anthropic defines and the client runs, with what its models know of them by heart. Those that
 * need a screen are not among them: no other model was taught to move by its pixels.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/how-tool-use-works
 */
const tools: readonly ClientTool[] = [
  {
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/bash-tool
    types: /^bash_\d{8}$/,
    description:
      'Runs a command in a bash session that stays open between calls: its directory, variables and files are still there for the next one. Nothing can be typed into a running command.',
    properties: {
      command: text('The command. Required unless the session is restarted.'),
      restart: { type: 'boolean', description: 'True: the session is restarted, and no command is run.' },
    },
    required: [],
  },
  {
    // Up to this version the text of an insert is called as that of a replacement, and the last edit can be
    // undone: https://platform.claude.com/docs/en/agents-and-tools/tool-use/text-editor-tool
    types: /^text_editor_(?:2024\d{4}|20250124)$/,
    description: 'Shows, creates and edits text files, and lists directories.',
    properties: {
      command: command(['view', 'create', 'str_replace', 'insert', 'undo_edit']),
      path: text('The path of the file or directory.'),
      ...edits,
      new_str: text('For str_replace: what stands there afterwards. For insert: the text.'),
    },
    required: ['command', 'path'],
  },
  {
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/text-editor-tool
    types: /^text_editor_\d{8}$/,
    description: 'Shows, creates and edits text files, and lists directories.',
    properties: {
      command: command(['view', 'create', 'str_replace', 'insert']),
      path: text('The path of the file or directory.'),
      ...edits,
      insert_text: text('For insert: the text.'),
    },
    required: ['command', 'path'],
  },
  {
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool
    types: /^memory_\d{8}$/,
    description:
      'Keeps what is to be remembered between conversations in files below /memories. View that directory before anything else, and write down what matters as you go: the conversation may end at any moment.',
    properties: {
      command: command(['view', 'create', 'str_replace', 'insert', 'delete', 'rename']),
      path: text('The path of the file or directory, which begins with /memories. Required but for rename.'),
      ...edits,
      insert_text: text('For insert: the text.'),
      old_path: text('For rename: the path before.'),
      new_path: text('For rename: the path afterwards.'),
    },
    required: ['command'],
  },
];

/**
 * What a model of another maker is told of such a tool, whose calls and results are those of any function.
 * Null: this type is none that the client runs, or none that can be told.
 */
function clientTool(type: string): { description: string; parameters: Json } | null {
  const tool = tools.find(({ types }) => types.test(type));
  if (!tool) return null;
  const { description, properties, required } = tool;
  const demanded = required.length > 0 ? { required } : {};
  return { description, parameters: { type: 'object', properties, ...demanded, additionalProperties: false } };
}
