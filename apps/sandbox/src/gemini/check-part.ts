import { textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
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

/** https://ai.google.dev/api/caching#Part `takesIds`: calls and responses may have an id. @throws Refusal */
export function checkPart(part: Record<string, unknown>, place: string, takesIds: boolean): void {
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
