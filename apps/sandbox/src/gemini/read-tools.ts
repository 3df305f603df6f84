import type { OfferedTool, WantedTool } from '../request/neutral-request';
import { memberOf, optionalObjects, textIn, textsIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import { demandFields } from './demand-fields';
import { demandOpenApi } from './demand-open-api';

const toolKinds = [
  'functionDeclarations',
  'googleSearch',
  'googleSearchRetrieval',
  'codeExecution',
  'urlContext',
  'googleMaps',
  'computerUse',
  'fileSearch',
  'retrieval',
  'enterpriseWebSearch',
];

const declarationFields = [
  'name',
  'description',
  'behavior',
  'parameters',
  'parametersJsonSchema',
  'response',
  'responseJsonSchema',
];

const mostFunctions = 512;

/** The caller's own functions. https://ai.google.dev/gemini-api/docs/function-calling @throws Refusal */
export function readTools(tools: readonly Record<string, unknown>[]): OfferedTool[] {
  const declared = tools.flatMap((tool, index) => {
    demandFields(tool, toolKinds, `tools[${index}]`);
    const declarations = optionalObjects(tool.functionDeclarations, 'function_declarations');
    // https://github.com/google-gemini/gemini-cli/issues/19083
    demand(
      declarations.length <= mostFunctions,
      `The GenerateContentRequest proto is invalid:\n  * tools[${index}].function_declarations: [FIELD_INVALID] At most ${mostFunctions} function declarations can be specified.`,
    );
    return declarations.map((declaration, at) =>
      readDeclaration(declaration, `tools[${index}].function_declarations[${at}]`),
    );
  });
  const names = declared.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  demand(twice === undefined, `Duplicate function declaration found: ${twice}`);
  return declared;
}

/**
 * Of names the reference says 128 characters, and Google itself 64:
 * https://github.com/AstrBotDevs/AstrBot/issues/5416 https://github.com/voipbin/monorepo/pull/644
 */
function readDeclaration(declaration: Record<string, unknown>, place: string): OfferedTool {
  demandFields(declaration, declarationFields, place);
  const { name, parameters, parametersJsonSchema: json } = declaration;
  demand(
    /^[a-zA-Z_][\w.:-]{0,63}$/.test(textIn(name)),
    `* GenerateContentRequest.${place}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n`,
  );
  demand(
    parameters === undefined || json === undefined,
    `Only one of parameters and parameters_json_schema may be set in ${place}.`,
  );
  if (parameters !== undefined) demandOpenApi(parameters, `${place}.parameters`);
  if (isRecord(json)) demandDefined(json, isRecord(json.$defs) ? json.$defs : {}, '');
  return { name: textIn(name), schema: json ?? parameters };
}

/**
 * References lead to the definitions of the schema. https://github.com/agent-infra/sandbox/issues/83
 * https://github.com/google-gemini/gemini-cli/issues/13326 @throws Refusal
 */
function demandDefined(value: unknown, definitions: Record<string, unknown>, place: string): void {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) demandDefined(item, definitions, `${place}.${index}`);
  if (!isRecord(value)) return;
  const { $ref: reference } = value;
  demand(
    typeof reference !== 'string' || Object.keys(definitions).some((name) => reference === `#/$defs/${name}`),
    `reference to undefined schema at ${place.slice(1)}`,
  );
  for (const [name, inner] of Object.entries(value)) demandDefined(inner, definitions, `${place}.${name}`);
}

/** https://ai.google.dev/api/caching#FunctionCallingConfig @throws Refusal */
export function readCalling(config: unknown, tools: readonly OfferedTool[]): WantedTool {
  if (config === undefined) return 'auto';
  demandFields(
    isRecord(config) ? config : {},
    ['functionCallingConfig', 'retrievalConfig', 'includeServerSideToolInvocations'],
    'tool_config',
  );
  const calling = memberOf(config, 'functionCallingConfig');
  const place = 'tool_config.function_calling_config';
  demandFields(calling, ['mode', 'allowedFunctionNames', 'streamFunctionCallArguments'], place);
  const mode = calling.mode === undefined ? 'AUTO' : textIn(calling.mode);
  demand(['AUTO', 'ANY', 'NONE', 'VALIDATED'].includes(mode), `Invalid value at '${place}.mode': "${mode}"`);
  const allowed = textsIn(calling.allowedFunctionNames, 'allowed_function_names', 512);
  const isForced = mode === 'ANY' || mode === 'VALIDATED';
  demand(
    allowed.length === 0 || isForced,
    'Allowed function names can only be set when the function calling mode is ANY.',
  );
  demand(mode !== 'ANY' || tools.length > 0, 'Function calling config is set without function_declarations.');
  for (const name of allowed)
    demand(
      tools.some((tool) => tool.name === name),
      `allowed_function_names: ${name} is not among the function declarations.`,
    );
  if (mode === 'NONE') return 'none';
  if (mode !== 'ANY') return 'auto';
  const [only, ...more] = allowed;
  return only !== undefined && more.length === 0 ? { name: only } : 'required';
}
