import type { CanonicalRequest, ToolDefinition } from '../canonical/generation-request';
import { invalid } from '../canonical/request-fields';

/**
 * `tools`, `tool_choice` and `strict_tools`; nothing where there are no tools. A tool that must be called by
 * name is the only one that is offered, because Cohere can be told only to call some tool.
 * https://docs.cohere.com/docs/tool-use-parameters @throws GatewayError 400 for a choice that the tools do
 * not allow.
 */
export function toTools(
  { tools = [], toolChoice }: CanonicalRequest,
  warn: (warning: string) => void,
): Record<string, unknown> {
  const offered = toolChoice?.type === 'tool' ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  const isForced = toolChoice?.type === 'tool' || toolChoice?.type === 'required';
  if (offered.length === 0) {
    if (isForced) throw invalid('tool_choice', 'asks for a tool that is not among the tools');
    return {};
  }
  const isStrict = offered.some(({ strict }) => strict === true);
  if (isStrict && !offered.every(({ strict }) => strict === true))
    warn('strict was applied to every tool: Cohere knows it for all tools or for none');
  return {
    tools: offered.map(definition),
    ...(isForced && { tool_choice: 'REQUIRED' }),
    ...(toolChoice?.type === 'none' && { tool_choice: 'NONE' }),
    ...(isStrict && { strict_tools: true }),
  };
}

/** Parameters are required, also of a tool that takes none. */
function definition({ name, description, parameters }: ToolDefinition): object {
  const schema = { type: 'object', ...(parameters ?? { properties: {} }) };
  return { type: 'function', function: { name, ...(description && { description }), parameters: schema } };
}
