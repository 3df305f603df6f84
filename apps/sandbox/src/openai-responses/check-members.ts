import {
  textIn,
  demandOneOf,
  demandSome,
  demandText,
  flagIn,
  limitIn,
  memberOf,
  numberIn,
  objects,
} from '../request/read-values';
import { isRecord } from '../request/record';
import { demand, Refusal } from '../request/refusal';
import { demandStrict } from '../request/strict-schema';
import { checkPromptCache } from '../openai-chat/openai-limits';

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

type Body = Record<string, unknown>;

const leastOutputTokens = 16;

/** Tokens. https://developers.openai.com/api/docs/guides/compaction */
const leastThreshold = 1_000;

/**
 * The single members of a request, within the bounds of OpenAI's own description.
 * https://github.com/openai/openai-openapi (openapi.json, CreateResponse) @throws Refusal
 */
export function checkMembers(body: Body): void {
  checkStored(body);
  checkNumbers(body);
  checkPromptCache(body);
  demandOneOf(body.truncation, 'truncation', ['auto', 'disabled']);
  demandOneOf(memberOf(body, 'text').verbosity, 'text.verbosity', ['low', 'medium', 'high']);
  for (const name of ['store', 'background']) flagIn(body[name], name);
  // https://developers.openai.com/api/reference/resources/responses/methods/create
  demandOneOf(memberOf(body, 'image').context_compression, 'image.context_compression', [
    'auto',
    'enabled',
    'disabled',
  ]);
  checkManagement(body.context_management);
}

/** Nothing is stored here, so that nothing that was stored is found. */
function checkStored({ previous_response_id: previous, conversation, prompt }: Body): void {
  if (typeof previous === 'string')
    throw new Refusal(`Previous response with id '${previous}' not found.`, {
      param: 'previous_response_id',
      code: 'previous_response_not_found',
    });
  demand(conversation === undefined || conversation === null, 'Conversation not found.', { status: 404 });
  const { id } = memberOf({ prompt }, 'prompt');
  // https://github.com/miharekar/visualizer/issues/198
  demand(prompt === undefined || prompt === null, `Prompt with id '${textIn(id)}' not found.`, { status: 404 });
}

function checkNumbers(body: Body): void {
  numberIn(body.temperature, 'temperature', 0, 2);
  numberIn(body.top_p, 'top_p', 0, 1);
  numberIn(body.top_logprobs, 'top_logprobs', 0, 20);
  const most = limitIn(body.max_output_tokens, 'max_output_tokens');
  demand(
    most === null || most >= leastOutputTokens,
    `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${leastOutputTokens}, but got ${most} instead.`,
    { param: 'max_output_tokens', code: 'integer_below_min_value' },
  );
  demand(
    body.stream_options === undefined || body.stream_options === null || body.stream === true,
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    { param: 'stream_options' },
  );
}

function checkManagement(steps: unknown): void {
  if (steps === undefined || steps === null) return;
  const all = objects(steps, 'context_management');
  demandSome(all, 'context_management');
  for (const [at, { type, compact_threshold: threshold }] of all.entries()) {
    const param = `context_management[${at}]`;
    demandText(type, `${param}.type`);
    demand(
      threshold === undefined || threshold === null || Number(threshold) >= leastThreshold,
      `Invalid '${param}.compact_threshold': integer below minimum value. Expected a value >= ${leastThreshold}, but got ${String(threshold)} instead.`,
      { param: `${param}.compact_threshold`, code: 'integer_below_min_value' },
    );
  }
}
