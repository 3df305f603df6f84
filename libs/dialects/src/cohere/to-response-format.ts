import { describedSchema } from '../canonical/described-schema';
import type { CanonicalRequest } from '../canonical/generation-request';

/** How an answer is bound to JSON: by `response_format`, or by a system message. */
interface CohereFormat {
  responseFormat?: Record<string, unknown>;
  instruction: Record<string, unknown>[];
}

/** The format cannot stand beside tools or documents. https://docs.cohere.com/docs/structured-outputs */
export function toResponseFormat(
  { responseFormat, tools = [], extra }: CanonicalRequest,
  warn: (warning: string) => void,
): CohereFormat {
  if (responseFormat === undefined || responseFormat.type === 'text') return { instruction: [] };
  const schema = responseFormat.type === 'json-schema' ? describedSchema(responseFormat) : undefined;
  if (tools.length === 0 && extra?.documents === undefined)
    return { responseFormat: { type: 'json_object', ...(schema && { json_schema: schema }) }, instruction: [] };
  warn('the JSON format was asked for in words and is not enforced: Cohere does not take it beside tools or documents');
  const what =
    'When you do not call a tool, answer with one JSON value and nothing else: no words around it and no code fence.';
  const content = schema === undefined ? what : `${what} It must fit this JSON schema: ${JSON.stringify(schema)}`;
  return { instruction: [{ role: 'system', content }] };
}
