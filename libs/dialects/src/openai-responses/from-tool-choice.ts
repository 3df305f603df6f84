import type { CanonicalRequest, ToolChoice, ToolDefinition } from '../canonical/generation-request';
import { invalid, RequestFields } from '../canonical/request-fields';
import { flatName, requiredName } from './caller-tools';
import { isClientTool } from './client-tools';
import { searches } from './from-tools';

/** Reads `tool_choice`. A choice of some tools only leaves the others out. */
export function fromToolChoice(
  fields: RequestFields,
  { tools, webSearch }: Pick<CanonicalRequest, 'tools' | 'webSearch'>,
  unread: string[],
): Pick<CanonicalRequest, 'toolChoice' | 'tools'> {
  const choice = fields.raw('tool_choice');
  if (choice === undefined) return {};
  if (choice === 'none' || choice === 'auto' || choice === 'required') return { toolChoice: { type: choice } };
  if (typeof choice === 'string') throw invalid('tool_choice', 'must be none, auto, required or an object');
  const chosen = RequestFields.of(choice, 'tool_choice');
  const type = chosen.requiredText('type');
  if (type === 'allowed_tools') return allowedTools(chosen, tools ?? [], unread);
  const toolChoice: ToolChoice =
    webSearch && searches.test(type) ? { type: 'web-search' } : { type: 'tool', name: chosenName(chosen) };
  chosen.finish(unread);
  return { toolChoice };
}

/** The flat name of the tool that an object names. */
function chosenName(chosen: RequestFields): string {
  const type = chosen.requiredText('type');
  if (isClientTool(type)) return type;
  if (type !== 'function' && type !== 'custom')
    throw invalid(chosen.path('type'), `has the value '${type}', a tool that only OpenAI's own models have`);
  return flatName(chosen.text('namespace') ?? null, requiredName(chosen, 'name'));
}

function allowedTools(
  fields: RequestFields,
  tools: readonly ToolDefinition[],
  unread: string[],
): Pick<CanonicalRequest, 'toolChoice' | 'tools'> {
  const mode = fields.choice('mode', ['auto', 'required']) ?? 'auto';
  const allowed = (fields.list('tools') ?? []).map((tool, index) => {
    const chosen = RequestFields.of(tool, `${fields.path('tools')}[${index}]`);
    const name = chosenName(chosen);
    chosen.finish(unread);
    return name;
  });
  fields.finish(unread);
  const left = tools.filter(({ name }) => allowed.includes(name));
  if (left.length === 0) throw invalid(fields.path('tools'), 'must name at least one of the tools in the request');
  return { tools: left, toolChoice: { type: mode } };
}
