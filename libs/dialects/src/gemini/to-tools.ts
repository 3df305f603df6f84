import type { CanonicalRequest, ToolDefinition } from '../canonical/generation-request';
import { invalid } from '../canonical/request-fields';
import type { ToolNames } from '../canonical/tool-names';
import { toGeminiSchema } from './to-schema';

type Warn = (warning: string) => void;

/**
 * `tools` and `toolConfig`; neither where there are no tools.
 * @throws GatewayError 400 for a choice among no tools.
 */
export function toTools(request: CanonicalRequest, names: ToolNames, warn: Warn): Record<string, unknown> {
  const { tools = [], webSearch, codeExecution, toolChoice } = request;
  const hosted = [...(webSearch ? [{ googleSearch: {} }] : []), ...(codeExecution ? [{ codeExecution: {} }] : [])];
  if (tools.length === 0 && hosted.length > 0) return hostedAlone(hosted, toolChoice, warn);
  if (hosted.length > 0) refuseBesideTools(request, warn);
  if (tools.length === 0) {
    if (toolChoice?.type === 'required' || toolChoice?.type === 'tool')
      throw invalid('tool_choice', 'asks for a tool, but there are none');
    return {};
  }
  const config = callingConfig(request, names);
  return {
    tools: [{ functionDeclarations: tools.map((tool) => declaration(tool, names, warn)) }],
    ...(config && { toolConfig: { functionCallingConfig: config } }),
  };
}

/**
 * A wish for some tool cannot be said where none is a function.
 * https://github.com/musistudio/claude-code-router/pull/1207
 */
function hostedAlone(
  hosted: readonly object[],
  toolChoice: CanonicalRequest['toolChoice'],
  warn: Warn,
): Record<string, unknown> {
  if (toolChoice?.type === 'none') return {};
  if (toolChoice?.type === 'required')
    warn('tool choice required was dropped: Gemini uses its own tools as it needs to');
  return { tools: hosted };
}

/**
 * Up to Gemini 2.5 what Google runs is refused beside functions, https://github.com/lobehub/lobehub/pull/7463
 * and from Gemini 3 on its calls and results must come back with the next turn, which callers of other
 * dialects do not have: https://ai.google.dev/gemini-api/docs/tool-combination
 * @throws GatewayError 400 where the caller cannot do without.
 */
function refuseBesideTools({ webSearch, codeExecution }: CanonicalRequest, warn: Warn): void {
  const what = webSearch ? 'a web search' : 'code execution';
  if (codeExecution || !webSearch?.isDispensable)
    throw invalid('tools', `cannot hold ${what} beside functions with this model. Ask for one of both`);
  warn('web search was dropped: beside functions Gemini searches only for callers of its own dialect');
}

/** A function without parameters has no schema. https://ai.google.dev/api/caching#FunctionDeclaration */
function declaration(
  { name, description, parameters, strict }: ToolDefinition,
  names: ToolNames,
  warn: Warn,
): Record<string, unknown> {
  const { schema, reworded } = toGeminiSchema(parameters ?? {});
  if (strict === true && reworded.length > 0)
    warn(`${reworded.join(', ')} in the parameters of ${name}: told to the model in words, not enforced`);
  const isEmpty = Object.keys(schema).every(
    (keyword) => keyword === 'type' || keyword === 'additionalProperties' || isVoid(schema[keyword]),
  );
  return {
    name: names.to(name),
    ...(description && { description }),
    ...(!isEmpty && {
      parametersJsonSchema: 'type' in schema || '$ref' in schema ? schema : { type: 'object', ...schema },
    }),
  };
}

function isVoid(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/**
 * VALIDATED leaves the choice to the model, but binds the arguments to the schema.
 * https://ai.google.dev/gemini-api/docs/function-calling#function_calling_modes
 */
function callingConfig({ tools, toolChoice }: CanonicalRequest, names: ToolNames): Record<string, unknown> | undefined {
  switch (toolChoice?.type) {
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [names.to(toolChoice.name)] };
    default: {
      if (tools?.some(({ strict }) => strict === true) === true) return { mode: 'VALIDATED' };
      return toolChoice && { mode: 'AUTO' };
    }
  }
}
