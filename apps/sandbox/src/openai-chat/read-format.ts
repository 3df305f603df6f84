import { memberOf, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import { demandStrict } from '../request/strict-schema';
import { toldSchema } from '../request/told-schema';

/** What an answer in the older JSON mode looks like. */
const anyObject = { type: 'object', properties: { answer: { type: 'string' } } };

/**
 * The schema that an answer must follow, null for none. `wantsClosed`: a strict one must be closed.
 * https://platform.openai.com/docs/api-reference/chat/create#chat_create-response_format
 * @throws Refusal
 */
export function readFormat(format: unknown, messages: unknown, wantsClosed: boolean): unknown {
  if (!isRecord(format)) return null;
  const param = 'response_format';
  switch (format.type) {
    case 'text':
      return null;
    case 'json_object':
      demand(
        /json/i.test(JSON.stringify(messages)),
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
        { param: 'messages' },
      );
      return toldSchema(messages) ?? anyObject;
    case 'json_schema': {
      const { name, schema, strict } = memberOf(format, 'json_schema');
      demand(
        /^[a-zA-Z0-9_-]{1,64}$/.test(textIn(name)),
        "Missing required parameter: 'response_format.json_schema.name'.",
        { param: 'response_format.json_schema.name', code: 'missing_required_parameter' },
      );
      if (strict === true && wantsClosed) demandStrict(schema, `response_format '${textIn(name)}'`, param);
      return schema ?? anyObject;
    }
    default:
      demand(
        false,
        `Invalid value: '${textIn(format.type)}'. Supported values are: 'json_object', 'json_schema', and 'text'.`,
        { param: 'response_format.type', code: 'invalid_value' },
      );
      return null;
  }
}
