import { describedSchema } from '../canonical/described-schema';
import type { CanonicalRequest, ResponseFormat } from '../canonical/generation-request';
import type { UpstreamTarget } from '../provider-dialect';
import { factsOf } from './model-facts';
import { toStructuredSchema } from './structured-schema';

/**
 * How a request for JSON is put to the model. format: natively, by `schema`. tool: through a tool that it
 * must call, whose arguments are the answer.
 * `reworded`: keywords that the native way does not know were written into descriptions.
 */
export type StructuredOutput =
  | { way: 'format'; schema: Record<string, unknown>; reworded: string[] }
  | { way: 'tool'; name: string; schema: Record<string, unknown>; description?: string };

/**
 * Null: plain text was asked for, or the caller forces a tool of its own, so that no text will come. The same
 * request and target always give the same plan: the parser undoes what the request did.
 */
export function planStructuredOutput(request: CanonicalRequest, target: UpstreamTarget): StructuredOutput | null {
  const { responseFormat: format, toolChoice } = request;
  if (format === undefined || format.type === 'text') return null;
  if (format.type === 'json-schema' && factsOf(target).structuredOutputs) {
    const native = toStructuredSchema(describedSchema(format));
    if (native !== null) return { way: 'format', ...native };
  }
  if (toolChoice?.type === 'required' || toolChoice?.type === 'tool') return null;
  return { way: 'tool', name: freeName(request), ...toolParts(format) };
}

function toolParts(format: Exclude<ResponseFormat, { type: 'text' }>): {
  schema: Record<string, unknown>;
  description?: string;
} {
  if (format.type === 'json-object') return { schema: { type: 'object' } };
  return { schema: format.schema, ...(format.description === undefined ? {} : { description: format.description }) };
}

/** A name that none of the caller's tools has. */
function freeName({ tools }: CanonicalRequest): string {
  let name = 'answer_as_json';
  while (tools?.some((tool) => tool.name === name)) name += '_';
  return name;
}
