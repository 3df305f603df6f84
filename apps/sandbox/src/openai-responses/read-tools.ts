import type { OfferedTool, WantedTool } from '../request/neutral-request';
import { textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import { demandStrict } from '../request/strict-schema';

type Tool = Record<string, unknown>;

/** What a tool that takes text is called with. */
const textArguments = { type: 'object', properties: { input: { type: 'string' } } };

/** The caller's own tools; OpenAI's have other types. https://platform.openai.com/docs/api-reference/responses/create#responses-create-tools @throws Refusal */
export function readTool(tool: Tool, index: number): OfferedTool[] {
  const param = `tools[${index}]`;
  demand(typeof tool.type === 'string', `Missing required parameter: '${param}.type'.`, { param: `${param}.type` });
  if (tool.type !== 'function' && tool.type !== 'custom') return [];
  const { name, parameters, strict } = tool;
  demand(typeof name === 'string', `Missing required parameter: '${param}.name'.`, {
    param: `${param}.name`,
    code: 'missing_required_parameter',
  });
  demand(
    /^[a-zA-Z0-9_-]{1,64}$/.test(name),
    `Invalid '${param}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    { param: `${param}.name`, code: 'invalid_value' },
  );
  if (tool.type === 'custom') return [{ name, schema: textArguments }];
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
  if (strict === true) demandStrict(parameters ?? {}, `function '${name}'`, `${param}.parameters`);
  return [{ name, schema: parameters }];
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
