import { isRecord, parseJson } from '../wire/json-value';

/**
 * The arguments of a tool call as the object that this dialect takes. No text at all is a call without
 * arguments; what is no JSON object is wrapped as Anthropic advises:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/fine-grained-tool-streaming#handling-invalid-json-in-tool-responses
 */
export function toToolInput(argumentsText: string): Record<string, unknown> {
  if (argumentsText.trim() === '') return {};
  const value = parseJson(argumentsText);
  return isRecord(value) ? value : { INVALID_JSON: argumentsText };
}
