import type { OfferedTool, WantedTool } from '../request/neutral-request';
import { demandKnown, memberOf, optionalObjects, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';

/**
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolConfiguration.html
 * @throws Refusal
 */
export function readConverseTools(toolConfig: Record<string, unknown>): OfferedTool[] {
  demandKnown(toolConfig, ['tools', 'toolChoice'], (name) => `toolConfig has no member ${name}`);
  const tools = optionalObjects(toolConfig.tools, 'toolConfig.tools');
  demand(
    Object.keys(toolConfig).length === 0 || tools.length > 0,
    "Value '[]' at 'toolConfig.tools' failed to satisfy constraint: Member must have length greater than or equal to 1",
  );
  return tools.flatMap((tool, index) => {
    if (tool.cachePoint !== undefined || tool.systemTool !== undefined) return [];
    return [readSpec(memberOf(tool, 'toolSpec'), `toolConfig.tools.${index}.member.toolSpec`)];
  });
}

function readSpec(spec: Record<string, unknown>, where: string): OfferedTool {
  demandKnown(spec, ['name', 'description', 'inputSchema', 'strict'], (name) => `${where} has no member ${name}`);
  const name = textIn(spec.name);
  demand(
    /^[a-zA-Z0-9_-]{1,64}$/.test(name),
    `Value '${name}' at '${where}.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`,
  );
  demand(
    spec.description === undefined || textIn(spec.description) !== '',
    `Value '' at '${where}.description' failed to satisfy constraint: Member must have length greater than or equal to 1`,
  );
  const { json } = memberOf(spec, 'inputSchema');
  demand(
    isRecord(json) && json.type === 'object',
    `The value at ${where}.inputSchema.json.type must be one of the following: object.`,
  );
  return { name, schema: json };
}

/** @throws Refusal for a choice that is none, and for one of a tool that is not there. */
export function readToolChoice(choice: unknown, tools: readonly OfferedTool[]): WantedTool {
  if (choice === undefined) return 'auto';
  const [kind, ...more] = isRecord(choice) ? Object.keys(choice) : [];
  demand(
    more.length === 0 && (kind === 'auto' || kind === 'any' || kind === 'tool'),
    'toolConfig.toolChoice must have exactly one of the members auto, any, tool',
  );
  if (kind !== 'tool') return kind === 'any' ? 'required' : 'auto';
  const name = textIn(memberOf(choice, 'tool').name);
  demand(
    tools.some((tool) => tool.name === name),
    `The tool ${name} in toolConfig.toolChoice is not among toolConfig.tools.`,
  );
  return { name };
}
