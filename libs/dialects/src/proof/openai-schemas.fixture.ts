import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import type { ValidateFunction } from 'ajv';
import { isRecord, parseJson } from '../wire/json-value';

type SchemaName =
  | 'CreateChatCompletionRequest'
  | 'CreateResponse'
  | 'CreateChatCompletionResponse'
  | 'CreateChatCompletionStreamResponse'
  | 'Response'
  | 'ResponseStreamEvent';

const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(schemas());
const validators = new Map<SchemaName, ValidateFunction>();

/** What is wrong with a value by OpenAI's own schema of this name; null when nothing is. */
export function wrongBy(name: SchemaName, value: unknown): string | null {
  const validate = validatorOf(name);
  return validate(value) ? null : `${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`;
}

function validatorOf(name: SchemaName): ValidateFunction {
  let validate = validators.get(name);
  if (!validate) validators.set(name, (validate = ajv.compile({ $ref: `openai#/$defs/${name}` })));
  return validate;
}

function schemas(): Record<string, unknown> {
  const read = parseJson(readFileSync(join(__dirname, '__fixtures__/openai-schemas.json'), 'utf8'));
  if (!isRecord(read)) throw new Error('The schemas of OpenAI are missing.');
  return read;
}
