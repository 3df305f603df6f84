import { textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import { demandStrict } from '../request/strict-schema';

/** What an answer in the older JSON mode looks like. */
const anyObject = { type: 'object', properties: { answer: { type: 'string' } } };

/**
 * The schema that an answer must follow, null for none. `wantsClosed`: a strict one must be closed.
 * https://platform.openai.com/docs/guides/structured-outputs
 * @throws Refusal
 */
export function readFormat(format: unknown, input: unknown, wantsClosed: boolean): unknown {
  if (!isRecord(format)) return null;
  const param = 'text.format';
  const missing = { param, code: 'missing_required_parameter' };
  switch (format.type) {
    case 'text':
      return null;
    case 'json_object':
      demand(
        /json/i.test(JSON.stringify(input)),
        "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
        { param: 'input' },
      );
      return anyObject;
    case 'json_schema': {
      const { name, schema, strict } = format;
      demand(/^[a-zA-Z0-9_-]{1,64}$/.test(textIn(name)), "Missing required parameter: 'text.format.name'.", missing);
      demand(isRecord(schema), "Missing required parameter: 'text.format.schema'.", missing);
      if (strict === true && wantsClosed)
        demandStrict(schema, `response_format '${textIn(name)}'`, 'text.format.schema');
      return schema;
    }
    default:
      demand(
        false,
        `Invalid value: '${textIn(format.type)}'. Supported values are: 'json_object', 'json_schema', and 'text'.`,
        {
          param: `${param}.type`,
          code: 'invalid_value',
        },
      );
      return null;
  }
}
