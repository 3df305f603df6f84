import type { OfferedTool, WantedTool } from '../request/neutral-request';
import { demandOneOf, demandText, memberOf, objects, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import { demandStrict } from '../request/strict-schema';

type Tool = Record<string, unknown>;

/** What a tool that takes text is called with. */
export const textArguments = { type: 'object', properties: { input: { type: 'string' } } };

/** Names of tools that items of the input bring, too. */
export const toolItems = ['additional_tools', 'tool_search_output'];

/**
 * What the caller's own tool is called with: `name` and `namespace` as the caller has them, `kind` null for a
 * function.
 */
export interface CallerTool {
  kind: 'custom' | 'search' | null;
  name: string;
  namespace?: string;
}

/** How a tool is offered to the simulated model, and how the caller knows it. */
export interface ReadTool extends OfferedTool {
  caller: CallerTool;
}

/**
 * The caller's own tools; OpenAI's have other types. `wantsClosed`: strict schemas must be closed.
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-tools
 * @throws Refusal
 */
export function readTool(tool: Tool, param: string, wantsClosed: boolean): ReadTool[] {
  demand(typeof tool.type === 'string', `Missing required parameter: '${param}.type'.`, { param: `${param}.type` });
  const { name, parameters, strict } = tool;
  if (tool.type === 'namespace') return readNamespace(tool, param, wantsClosed);
  // https://developers.openai.com/api/docs/guides/tools-tool-search
  if (tool.type === 'tool_search' && tool.execution === 'client')
    return [{ name: 'tool_search', schema: parameters, caller: { kind: 'search', name: 'tool_search' } }];
  if (tool.type.startsWith('web_search')) checkSearch(tool, param);
  if (tool.type !== 'function' && tool.type !== 'custom') return [];
  demand(typeof name === 'string', `Missing required parameter: '${param}.name'.`, {
    param: `${param}.name`,
    code: 'missing_required_parameter',
  });
  demand(
    /^[a-zA-Z0-9_-]{1,64}$/.test(name),
    `Invalid '${param}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    { param: `${param}.name`, code: 'invalid_value' },
  );
  if (tool.type === 'custom') checkFormat(memberOf(tool, 'format'), `${param}.format`);
  if (tool.type === 'custom') return [{ name, schema: textArguments, caller: { kind: 'custom', name } }];
  const isObject =
    parameters === undefined || parameters === null || (isRecord(parameters) && parameters.type === 'object');
  demand(
    isObject,
    `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`,
    {
      param: `${param}.parameters`,
      code: 'invalid_function_parameters',
    },
  );
  if (strict === true && wantsClosed) demandStrict(parameters ?? {}, `function '${name}'`, `${param}.parameters`);
  return [{ name, schema: parameters, caller: { kind: null, name } }];
}

/** https://developers.openai.com/api/docs/guides/tools-web-search#user-location */
function checkSearch(tool: Tool, param: string): void {
  demandOneOf(tool.search_context_size, `${param}.search_context_size`, ['low', 'medium', 'high']);
  demandOneOf(memberOf(tool, 'user_location').type, `${param}.user_location.type`, ['approximate']);
}

/** https://developers.openai.com/api/docs/guides/function-calling#context-free-grammars */
function checkFormat({ type, syntax, definition }: Tool, param: string): void {
  demandOneOf(type, `${param}.type`, ['text', 'grammar']);
  if (type !== 'grammar') return;
  demandText(syntax, `${param}.syntax`);
  demandOneOf(syntax, `${param}.syntax`, ['lark', 'regex']);
  demandText(definition, `${param}.definition`);
}

/**
 * Its tools have their own names only within it.
 * https://developers.openai.com/api/docs/guides/function-calling#defining-namespaces
 */
function readNamespace({ name, tools }: Tool, param: string, wantsClosed: boolean): ReadTool[] {
  demand(typeof name === 'string' && name !== '', `Missing required parameter: '${param}.name'.`, {
    param: `${param}.name`,
    code: 'missing_required_parameter',
  });
  return objects(tools, `${param}.tools`)
    .flatMap((tool, index) => readTool(tool, `${param}.tools[${index}]`, wantsClosed))
    .map((tool) => ({ ...tool, name: `${name}.${tool.name}`, caller: { ...tool.caller, namespace: name } }));
}

/** @throws Refusal for the choice of a tool that is not there. */
export function readChoice(choice: unknown, tools: readonly Tool[]): WantedTool {
  if (choice === undefined || choice === null || choice === 'auto') return 'auto';
  if (choice === 'none') return 'none';
  demand(tools.length > 0, "Tool choice must be 'auto' or 'none' when there are no tools.", { param: 'tool_choice' });
  if (choice === 'required') return 'required';
  const { type, name } = isRecord(choice) ? choice : {};
  if (type === 'allowed_tools') return isRecord(choice) && choice.mode === 'required' ? 'required' : 'auto';
  const isNamed = tools.some((tool) => (name === undefined ? tool.type === type : tool.name === name));
  demand(isNamed, `Tool choice '${textIn(name ?? type)}' not found in 'tools' parameter.`, { param: 'tool_choice' });
  return name === undefined ? 'auto' : { name: textIn(name) };
}
