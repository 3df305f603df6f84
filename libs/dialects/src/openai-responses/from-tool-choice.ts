import { fromAllowedTools } from '../canonical/allowed-tools';
import type { CanonicalRequest, ToolChoice } from '../canonical/generation-request';
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
  if (type === 'allowed_tools') return fromAllowedTools(chosen, tools ?? [], chosenName, unread);
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
