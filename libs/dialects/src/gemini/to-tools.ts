import type { CanonicalRequest, ToolDefinition } from '../canonical/generation-request';
import { invalid } from '../canonical/request-fields';
import type { ToolNames } from '../canonical/tool-names';
import { toGeminiSchema } from './to-schema';

type Warn = (warning: string) => void;

/** `tools` and `toolConfig`; neither where there are no tools. @throws GatewayError 400 for a choice among no tools. */
export function toTools(request: CanonicalRequest, names: ToolNames, warn: Warn): Record<string, unknown> {
  const { tools = [], toolChoice } = request;
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

/** VALIDATED leaves the choice to the model, but binds the arguments to the schema. https://ai.google.dev/gemini-api/docs/function-calling#function_calling_modes */
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
