import type { CanonicalRequest, ToolDefinition } from './generation-request';
import { invalid, RequestFields } from './request-fields';

/** What a choice among some tools only leaves of a request. */
export type AllowedTools = Pick<CanonicalRequest, 'tools' | 'toolChoice'>;

/**
 * Reads a choice of some tools only, whose list is in `fields`: the others are left out, as other dialects
 * have no such choice. `nameOf` reads the name of one that is listed.
 * https://platform.openai.com/docs/guides/function-calling#allowed-tools
 * @throws GatewayError 400 where it names none of the request's tools.
 */
export function fromAllowedTools(
  fields: RequestFields,
  tools: readonly ToolDefinition[],
  nameOf: (listed: RequestFields) => string,
  unread: string[],
): AllowedTools {
  const mode = fields.choice('mode', ['auto', 'required']) ?? 'auto';
  const allowed = (fields.list('tools') ?? []).map((tool, index) => {
    const listed = RequestFields.of(tool, `${fields.path('tools')}[${index}]`);
    const name = nameOf(listed);
    listed.finish(unread);
    return name;
  });
  fields.finish(unread);
  const left = tools.filter(({ name }) => allowed.includes(name));
  if (left.length === 0) throw invalid(fields.path('tools'), 'must name at least one of the tools in the request');
  return { tools: left, toolChoice: { type: mode } };
}
