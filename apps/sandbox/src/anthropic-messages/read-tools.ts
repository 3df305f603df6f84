import type { OfferedTool, WantedTool } from '../request/neutral-request';
import { demandKnown, optionalObjects, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import { checkInputSchema } from './check-input-schema';
import { demandStructured } from './demand-structured';

const toolFields = [
  'name',
  'description',
  'input_schema',
  'type',
  'cache_control',
  'strict',
  'eager_input_streaming',
  'defer_loading',
  'allowed_callers',
  'input_examples',
];

/** The caller's own tools. https://platform.claude.com/docs/en/api/messages/create @throws Refusal */
export function readTools(tools: unknown): OfferedTool[] {
  const all = optionalObjects(tools, 'tools');
  const names = all.map(({ name }) => textIn(name));
  demand(new Set(names).size === names.length, 'tools: Tool names must be unique.');
  // https://github.com/nearai/ironclaw/pull/7274
  demand(
    all.length === 0 || all.some((tool) => tool.defer_loading !== true),
    'At least one tool must have defer_loading=false. All tools cannot be deferred.',
  );
  return all.flatMap(readTool);
}

/** Anthropic's own tools have a dated type, and no schema. */
function readTool(tool: Record<string, unknown>, index: number): OfferedTool[] {
  const isTheirs = typeof tool.type === 'string' && tool.type !== 'custom';
  if (isTheirs) return [];
  const where = `tools.${index}.custom`;
  demandKnown(tool, toolFields, (name) => `${where}.${name}: Extra inputs are not permitted`);
  const pattern = '^[a-zA-Z0-9_-]{1,128}$';
  demand(
    typeof tool.name === 'string' && new RegExp(pattern).test(tool.name),
    `${where}.name: String should match pattern '${pattern}'`,
  );
  demand(isRecord(tool.input_schema), `${where}.input_schema: Field required`);
  demand(tool.input_schema.type === 'object', `${where}.input_schema.type: Input should be 'object'`);
  checkInputSchema(tool.input_schema, where);
  if (tool.strict === true) demandStructured(tool.input_schema, `${where}.input_schema`);
  return [{ name: tool.name, schema: tool.input_schema }];
}

/** @throws Refusal for a choice without tools, and for one of a tool that is not there. */
export function readChoice(choice: unknown, tools: readonly OfferedTool[]): WantedTool {
  if (!isRecord(choice)) return 'auto';
  demandKnown(
    choice,
    ['type', 'name', 'disable_parallel_tool_use'],
    (name) => `tool_choice.${name}: Extra inputs are not permitted`,
  );
  demand(tools.length > 0, 'tool_choice may only be specified while providing tools');
  switch (choice.type) {
    case 'none':
      return 'none';
    case 'any':
      return 'required';
    case 'tool':
      demand(
        tools.some(({ name }) => name === choice.name),
        `Tool '${textIn(choice.name)}' not found in provided tools`,
      );
      return { name: textIn(choice.name) };
    default:
      demand(
        choice.type === 'auto',
        "tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'",
      );
      return 'auto';
  }
}
