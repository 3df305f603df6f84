import { isSeal } from '../answer/seal';
import { objects, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import type { Turn } from '../request/turns';
import { demandFields } from './demand-fields';

const dataFields = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
];
const otherFields = [
  'thought',
  'thoughtSignature',
  'thought_signature',
  'videoMetadata',
  'mediaResolution',
  'partMetadata',
];

type Part = Record<string, unknown>;

interface Edition {
  isThirdGeneration: boolean;
  isVertex: boolean;
}

interface Content {
  role: string;
  calls: Part[];
  responses: Part[];
  parts: Part[];
}

/**
 * What Google lets stand for a signature that there never was.
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const unsigned = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];

/**
 * What was said so far: as many responses as calls stand right behind a turn of calls, and from Gemini 3 on
 * the first call of every step since the user spoke comes with its signature.
 * https://ai.google.dev/gemini-api/docs/function-calling @throws Refusal
 */
export function readContents(list: readonly Part[], edition: Edition): Turn[] {
  const contents = list.map((content, index) => readContent(content, index, edition));
  for (const [index, content] of contents.entries()) checkOrder(content, contents[index - 1], contents[index + 1]);
  const spokenAt = contents.findLastIndex(({ role, responses }) => role === 'user' && responses.length === 0);
  for (const [index, content] of contents.entries())
    checkSignature(content, index, edition.isThirdGeneration && index > spokenAt);
  return contents.map(turnOf);
}

function readContent(content: Part, index: number, { isThirdGeneration, isVertex }: Edition): Content {
  const role = content.role === undefined ? 'user' : textIn(content.role);
  demand(role === 'user' || role === 'model', 'Please use a valid role: user, model.');
  const parts = objects(content.parts, `contents[${index}].parts`);
  demand(parts.length > 0, `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.\n`);
  for (const [at, part] of parts.entries())
    checkPart(part, `contents[${index}].parts[${at}]`, isThirdGeneration || !isVertex);
  const calls = parts.filter((part) => isRecord(part.functionCall));
  const responses = parts.filter((part) => isRecord(part.functionResponse));
  demand(calls.length === 0 || role === 'model', 'Function calls must be in a turn of the role model.');
  demand(responses.length === 0 || role === 'user', 'Function responses must be in a turn of the role user.');
  return { role, calls, responses, parts };
}

function checkOrder({ calls, responses }: Content, before: Content | undefined, after: Content | undefined): void {
  demand(
    calls.length === 0 || before?.role === 'user',
    'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
  );
  demand(
    responses.length === 0 || (before?.calls.length ?? 0) > 0,
    'Please ensure that function response turn comes immediately after a function call turn.',
  );
  demand(
    calls.length === 0 || after?.responses.length === calls.length,
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
  );
  const ids = calls.map((part) => idIn(part.functionCall));
  for (const part of after?.responses ?? [])
    demand(
      calls.length === 0 || ids.includes(idIn(part.functionResponse)),
      'Please ensure that the ids of function responses are those of the function calls.',
    );
}

function idIn(value: unknown): string {
  return isRecord(value) ? textIn(value.id) : '';
}

function checkSignature({ calls }: Content, index: number, isNeeded: boolean): void {
  const [first] = calls;
  const signature = first?.thoughtSignature ?? first?.thought_signature;
  const name = isRecord(first?.functionCall) ? textIn(first.functionCall.name) : '';
  demand(
    !isNeeded || !first || signature !== undefined,
    `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
  );
  demand(
    signature === undefined || isSeal(signature) || unsigned.includes(textIn(signature)),
    'Corrupted thought signature.',
  );
}

function turnOf({ role, parts, responses }: Content): Turn {
  if (role === 'model') return { kind: 'assistant' };
  if (responses.length === 0) return { kind: 'user', text: parts.map(({ text }) => textIn(text)).join(' ') };
  return { kind: 'results', texts: responses.map((part) => resultText(part.functionResponse)) };
}

/**
 * `output` and `error` are the members that the model reads as such.
 * https://ai.google.dev/api/caching#FunctionResponse
 */
function resultText(result: unknown): string {
  const response = isRecord(result) && isRecord(result.response) ? result.response : {};
  const told = response.output ?? response.error ?? response;
  return typeof told === 'string' ? told : JSON.stringify(told);
}

/** https://ai.google.dev/api/caching#Part `takesIds`: calls and responses may have an id. @throws Refusal */
function checkPart(part: Record<string, unknown>, place: string, takesIds: boolean): void {
  demandFields(part, [...dataFields, ...otherFields], place);
  const kinds = dataFields.filter((kind) => part[kind] !== undefined);
  demand(
    kinds.length === 1,
    `* GenerateContentRequest.${place}.data: required oneof field 'data' must have one initialized field\n`,
  );
  const idField = takesIds ? ['id'] : [];
  if (isRecord(part.functionCall)) checkCall(part.functionCall, `${place}.function_call`, idField);
  if (isRecord(part.functionResponse)) checkResponse(part.functionResponse, `${place}.function_response`, idField);
  if (isRecord(part.inlineData)) checkData(part.inlineData, `${place}.inline_data`);
  if (isRecord(part.fileData)) {
    demandFields(part.fileData, ['mimeType', 'fileUri', 'displayName'], `${place}.file_data`);
    demand(
      textIn(part.fileData.fileUri) !== '',
      `* GenerateContentRequest.${place}.file_data.file_uri: Unsupported file uri.\n`,
    );
  }
}

function checkCall(call: Record<string, unknown>, place: string, idField: readonly string[]): void {
  demandFields(call, ['name', 'args', ...idField], place);
  demand(textIn(call.name) !== '', `* GenerateContentRequest.${place}.name: Name cannot be empty.\n`);
  demand(
    call.args === undefined || isRecord(call.args),
    `Invalid value at '${place}.args' (type.googleapis.com/google.protobuf.Struct)`,
  );
}

function checkResponse(response: Record<string, unknown>, place: string, idField: readonly string[]): void {
  demandFields(response, ['name', 'response', 'parts', 'willContinue', 'scheduling', ...idField], place);
  demand(textIn(response.name) !== '', `* GenerateContentRequest.${place}.name: Name cannot be empty.\n`);
  demand(
    isRecord(response.response),
    `Invalid value at '${place}.response' (type.googleapis.com/google.protobuf.Struct)`,
  );
}

function checkData(data: Record<string, unknown>, place: string): void {
  demandFields(data, ['mimeType', 'data', 'displayName'], place);
  demand(
    /^\w+\/[\w.+-]+$/.test(textIn(data.mimeType)),
    `* GenerateContentRequest.${place}.mime_type: Unsupported MIME type\n`,
  );
  demand(
    /^[A-Za-z0-9+/_-]+={0,2}$/.test(textIn(data.data)),
    `Invalid value at '${place}.data' (TYPE_BYTES), Base64 decoding failed`,
  );
}
