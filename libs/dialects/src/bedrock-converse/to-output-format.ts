import { describedSchema } from '../canonical/described-schema';
import { toStructuredSchema } from '../anthropic-messages/structured-schema';
import type { CanonicalRequest } from '../canonical/generation-request';
import type { Block, ContentWriter } from './content-writer';

/** How an answer is bound to JSON: by a schema, or in words of the system prompt. */
export interface OutputFormat {
  outputConfig?: Block;
  instruction: Block[];
}

/**
 * Bedrock binds answers to schemas in which every object is closed, and takes the subset of JSON schema that
 * Anthropic takes; what is beyond is asked for in words, with a warning.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html
 */
export function toOutputFormat({ responseFormat }: CanonicalRequest, writer: ContentWriter): OutputFormat {
  if (responseFormat === undefined || responseFormat.type === 'text') return { instruction: [] };
  if (responseFormat.type === 'json-object') {
    writer.warn('the JSON object was asked for in words: Amazon Bedrock binds answers to a schema only');
    return inWords('Answer with one JSON object and nothing else: no words around it and no code fence.');
  }
  const { name, description, schema } = responseFormat;
  const native = toStructuredSchema(schema);
  if (native === null) {
    writer.warn('the JSON schema was told in words and is not enforced: Amazon Bedrock takes closed objects only');
    return inWords(
      `Answer with one JSON value and nothing else, no code fence. It must fit this JSON schema: ${JSON.stringify(describedSchema(responseFormat))}`,
    );
  }
  if (native.reworded.length > 0) {
    writer.warn(`${native.reworded.join(', ')} in the JSON schema: told to the model in words, not enforced`);
  }
  // The schema travels as JSON text.
  const jsonSchema = { name, ...(description ? { description } : {}), schema: JSON.stringify(native.schema) };
  return {
    outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } },
    instruction: [],
  };
}

function inWords(text: string): OutputFormat {
  return { instruction: [{ text }] };
}
