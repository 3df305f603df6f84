import type { CanonicalRequest, ToolChoice, ToolDefinition } from '../canonical/generation-request';
import { RequestFields, invalid } from '../canonical/request-fields';
import { readCacheControl } from './cache-control';

/**
 * Reads `tools`. @throws GatewayError 400 for tools that Anthropic runs itself or has trained its models for: no other provider has them.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview
 */
export function fromTools(tools: readonly unknown[], unread: string[]): ToolDefinition[] {
  return tools.map((tool, i) => {
    const fields = RequestFields.of(tool, `tools[${i}]`);
    const type = fields.text('type') ?? 'custom';
    if (type !== 'custom')
      throw invalid(fields.path('type'), `has the value '${type}', a tool of Anthropic's own models`);
    const definition = {
      name: fields.requiredText('name'),
      description: fields.text('description'),
      parameters: fields.object('input_schema'),
      strict: fields.boolean('strict'),
      ...readCacheControl(fields, unread),
    };
    fields.finish(unread);
    return definition;
  });
}

/** Reads `tool_choice` with its switch for parallel calls. */
export function fromToolChoice(
  fields: RequestFields | undefined,
  unread: string[],
): Pick<CanonicalRequest, 'toolChoice' | 'parallelToolCalls'> {
  if (fields === undefined) return {};
  const disabled = fields.boolean('disable_parallel_tool_use');
  const toolChoice = choiceOf(fields);
  fields.finish(unread);
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
