import { describedSchema } from '../canonical/described-schema';
import type { CanonicalRequest } from '../canonical/generation-request';
import type { ModelFacts } from './model-facts';
import type { Part } from './part-writer';
import { toGeminiSchema } from './to-schema';

/** How an answer is bound to JSON: by fields of the generation, or in words of the instruction. */
interface GeminiFormat {
  fields: Record<string, unknown>;
  instruction: Part[];
}

/**
 * Before Gemini 3, JSON and tools exclude each other.
 * https://ai.google.dev/gemini-api/docs/structured-output#structured_outputs_with_tools
 */
export function toResponseFormat(
  { responseFormat, tools = [] }: CanonicalRequest,
  { isThirdGeneration }: ModelFacts,
  warn: (warning: string) => void,
): GeminiFormat {
  if (responseFormat === undefined || responseFormat.type === 'text') return { fields: {}, instruction: [] };
  if (tools.length > 0 && !isThirdGeneration) {
    warn('the JSON format was asked for in words and is not enforced: this model does not take it beside tools');
    return { fields: {}, instruction: [{ text: inWords(responseFormat) }] };
  }
  const fields: Record<string, unknown> = { responseMimeType: 'application/json' };
  if (responseFormat.type === 'json-object') return { fields, instruction: [] };
  const { schema, reworded } = toGeminiSchema(describedSchema(responseFormat));
  if (reworded.length > 0) warn(`${reworded.join(', ')} in the JSON schema: told to the model in words, not enforced`);
  return { fields: { ...fields, responseJsonSchema: schema }, instruction: [] };
}

function inWords(format: Exclude<CanonicalRequest['responseFormat'], undefined | { type: 'text' }>): string {
  const what = 'When you do not call a tool, answer with';
  return format.type === 'json-object'
    ? `${what} one JSON object and nothing else: no words around it and no code fence.`
    : `${what} one JSON value and nothing else, no code fence. It must fit this JSON schema: ${JSON.stringify(describedSchema(format))}`;
}
