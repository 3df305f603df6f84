import { fromAllowedTools } from '../canonical/allowed-tools';
import type { AllowedTools } from '../canonical/allowed-tools';
import { fromCustomTool, isFlatCustom } from '../canonical/custom-tool';
import type { ToolDefinition } from '../canonical/generation-request';
import { invalid, RequestFields } from '../canonical/request-fields';

/**
 * Reads `tools` and the older `functions`. @throws GatewayError 400 for a tool that is neither a function nor
 * one of free text.
 */
export function fromTools(fields: RequestFields, unread: string[]): ToolDefinition[] | undefined {
  const tools = fields.list('tools');
  const functions = fields.list('functions');
  if (tools === undefined && functions === undefined) return undefined;
  return [
    ...(tools ?? []).map((tool, index) => fromTool(tool, RequestFields.of(tool, `tools[${index}]`), unread)),
    ...(functions ?? []).map((each, index) => fromFunction(RequestFields.of(each, `functions[${index}]`), unread)),
  ];
}

function fromTool(tool: unknown, fields: RequestFields, unread: string[]): ToolDefinition {
  const type = fields.requiredText('type');
  if (type !== 'function' && type !== 'custom')
    throw invalid(
      fields.path('type'),
      `has the value '${type}'; models of other providers take functions and custom tools only`,
    );
  const isFlat = isFlatCustom(tool);
  const definition = isFlat ? fields : fields.nested(type);
  const control = fields.nested('cache_control');
  if (!isFlat) fields.finish(unread);
  if (definition === undefined) throw invalid(fields.path(type), 'is required and must be an object');
  const read = type === 'custom' ? fromCustom(definition, unread) : fromFunction(definition, unread);
  if (control === undefined) return read;
  control.ignore('type');
  const ttl = control.choice('ttl', ['5m', '1h']);
  return { ...read, cacheControl: ttl === undefined ? {} : { ttl } };
}

function fromCustom(fields: RequestFields, unread: string[]): ToolDefinition {
  const tool = fromCustomTool(fields.requiredText('name'), fields, unread);
  fields.finish(unread);
  return tool;
}

function fromFunction(fields: RequestFields, unread: string[]): ToolDefinition {
  const description = fields.text('description');
  const parameters = fields.object('parameters');
  const strict = fields.boolean('strict');
  const tool: ToolDefinition = {
    name: fields.requiredText('name'),
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
    ...(strict !== undefined && { strict }),
  };
  fields.finish(unread);
  return tool;
}

/** Reads `tool_choice` and the older `function_call`. A choice of some tools only leaves the others out. */
export function fromToolChoice(
  fields: RequestFields,
  tools: readonly ToolDefinition[],
  unread: string[],
): AllowedTools {
  const name = fields.raw('tool_choice') === undefined ? 'function_call' : 'tool_choice';
  const choice = fields.raw(name);
  if (choice === undefined) return {};
  if (choice === 'none' || choice === 'auto' || choice === 'required') return { toolChoice: { type: choice } };
  if (typeof choice === 'string') throw invalid(name, 'must be none, auto, required or an object naming a function');
  const chosen = RequestFields.of(choice, name);
  if (name === 'function_call') return { toolChoice: { type: 'tool', name: nameIn(chosen, unread) } };
  const allowed = chosen.raw('type') === 'allowed_tools' ? chosen.nested('allowed_tools') : undefined;
  const named: AllowedTools = allowed
    ? fromAllowedTools(allowed, tools, (listed) => chosenName(listed, unread), unread)
    : { toolChoice: { type: 'tool', name: chosenName(chosen, unread) } };
  chosen.finish(unread);
  return named;
}

/** The name of the tool that an object of a choice names. */
function chosenName(fields: RequestFields, unread: string[]): string {
  const type = fields.requiredText('type');
  const chosen = type === 'function' || type === 'custom' ? fields.nested(type) : undefined;
  if (chosen === undefined)
    throw invalid(
      fields.path('type'),
      `has the value '${type}'; models of other providers take functions and custom tools only`,
    );
  return nameIn(chosen, unread);
}

function nameIn(fields: RequestFields, unread: string[]): string {
  const name = fields.requiredText('name');
  fields.finish(unread);
  return name;
}
