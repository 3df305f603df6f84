import { demand } from '../voice/neutral-request';
import type { NeutralRequest, OfferedTool } from '../voice/neutral-request';
import { demandKnown, limitIn, numberIn, objects, optionalObjects, textIn } from '../voice/read-values';
import { isRecord } from '../voice/record';
import { lookBack } from '../voice/turns';
import type { Turn } from '../voice/turns';

const knownFields = [
  'contents',
  'systemInstruction',
  'system_instruction',
  'tools',
  'toolConfig',
  'safetySettings',
  'generationConfig',
  'cachedContent',
  'labels',
];
const knownConfig = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'stopSequences',
  'seed',
  'candidateCount',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'logprobs',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'thinkingConfig',
  'responseModalities',
  'mediaResolution',
];
const methods = ['generateContent', 'streamGenerateContent'];

/** Reads a generateContent request as strictly as Google. `named`: the model and method in the address. @throws Refusal */
export function readGenerateContent(body: Record<string, unknown>, named: string | null): NeutralRequest {
  const [model = '', method = ''] = (named ?? '').split(/:(?=\w+$)/);
  demand(methods.includes(method), `models/${model}: there is no method ${method}`);
  demandKnown(body, knownFields, 'Invalid JSON payload received. Unknown name: ');
  const config = isRecord(body.generationConfig) ? body.generationConfig : {};
  demandKnown(config, knownConfig, 'Invalid JSON payload received. Unknown name at generation_config: ');
  numberIn(config.temperature, 'temperature', 0, 2);
  const contents = objects(body.contents, 'contents');
  demand(contents.length > 0, '* GenerateContentRequest.contents: contents is not specified');
  const tools = optionalObjects(body.tools, 'tools').flatMap((tool) =>
    optionalObjects(tool.functionDeclarations, 'functionDeclarations').map(readTool),
  );
  const isThird = /gemini-[3-9]/.test(model);
  const schema = config.responseJsonSchema ?? config.responseSchema ?? null;
  demand(
    schema === null || config.responseMimeType === 'application/json',
    'response_schema needs response_mime_type application/json',
  );
  demand(schema === null || tools.length === 0 || isThird, 'Function calling with a response mime type is unsupported');
  checkThinking(config.thinkingConfig, isThird);
  const input = JSON.stringify([body.systemInstruction ?? '', contents, body.tools ?? []]);
  return {
    model,
    stream: method === 'streamGenerateContent',
    ...lookBack(readTurns(contents, isThird)),
    tools,
    toolChoice: readChoice(body.toolConfig),
    reasons: isRecord(config.thinkingConfig) && config.thinkingConfig.includeThoughts === true,
    schema,
    maxTokens: limitIn(config.maxOutputTokens, 'max_output_tokens'),
    stops: Array.isArray(config.stopSequences) ? config.stopSequences.map(textIn) : [],
    inputText: input,
    isCached: body.cachedContent !== undefined,
  };
}

/** https://ai.google.dev/gemini-api/docs/thinking */
function checkThinking(thinking: unknown, isThird: boolean): void {
  if (!isRecord(thinking)) return;
  demandKnown(
    thinking,
    ['includeThoughts', 'thinkingBudget', 'thinkingLevel'],
    'Invalid JSON payload received. Unknown name at thinking_config: ',
  );
  demand(isThird || thinking.thinkingLevel === undefined, 'Thinking level is not supported for this model.');
  const both = thinking.thinkingLevel !== undefined && thinking.thinkingBudget !== undefined;
  demand(!both, 'You can only set one of thinking_budget and thinking_level.');
}

function readTool(tool: Record<string, unknown>): OfferedTool {
  demand(
    /^[a-zA-Z_][\w.:-]{0,127}$/.test(textIn(tool.name)),
    'Invalid function name. Must start with a letter or an underscore.',
  );
  return { name: textIn(tool.name), schema: tool.parametersJsonSchema ?? tool.parameters };
}

function readChoice(toolConfig: unknown): NeutralRequest['toolChoice'] {
  const calling =
    isRecord(toolConfig) && isRecord(toolConfig.functionCallingConfig) ? toolConfig.functionCallingConfig : {};
  const { mode, allowedFunctionNames: allowed } = calling;
  demand(
    mode === undefined || ['AUTO', 'ANY', 'NONE', 'VALIDATED'].includes(textIn(mode)),
    'Invalid value at function_calling_config.mode',
  );
  demand(
    allowed === undefined || mode === 'ANY' || mode === 'VALIDATED',
    'allowed_function_names may only be set in mode ANY',
  );
  if (mode === 'NONE') return 'none';
  if (mode !== 'ANY') return 'auto';
  return Array.isArray(allowed) && typeof allowed[0] === 'string' ? { name: allowed[0] } : 'required';
}

/** Turns alternate, and as many results as calls follow a turn of calls. Gemini 3 wants its calls back with their signatures. */
function readTurns(contents: readonly Record<string, unknown>[], isThird: boolean): Turn[] {
  let calls = 0;
  return contents.map((content, index) => {
    const where = `contents[${index}]`;
    demand(content.role === 'user' || content.role === 'model', 'Please use a valid role: user, model.');
    demand(content.role !== contents[index - 1]?.role, `${where}: turns must alternate`);
    const parts = objects(content.parts, `${where}.parts`);
    demand(parts.length > 0, `${where}.parts: must not be empty`);
    for (const part of parts) checkPart(part, where);
    const called = parts.filter((part) => isRecord(part.functionCall));
    if (content.role === 'model') {
      calls = called.length;
      const isSigned = called.length === 0 || typeof called[0]?.thoughtSignature === 'string';
      demand(!isThird || isSigned, `${where}: Function call is missing a thought_signature in functionCall parts.`);
      return { kind: 'assistant' };
    }
    const results = parts.flatMap((part) => (isRecord(part.functionResponse) ? [part.functionResponse] : []));
    demand(
      results.length === calls,
      'Please ensure that the number of function response parts is equal to the number of function call parts.',
    );
    calls = 0;
    if (results.length === 0) return { kind: 'user', text: parts.map(({ text }) => textIn(text)).join(' ') };
    return { kind: 'results', texts: results.map(resultText) };
  });
}

function checkPart(part: Record<string, unknown>, where: string): void {
  const kinds = ['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse'].filter(
    (kind) => part[kind] !== undefined,
  );
  demand(kinds.length === 1, `${where}: a part must have exactly one of its data fields`);
  if (isRecord(part.functionCall))
    demand(
      part.functionCall.args === undefined || isRecord(part.functionCall.args),
      `${where}: args must be an object`,
    );
  if (isRecord(part.functionResponse))
    demand(
      typeof part.functionResponse.name === 'string' && isRecord(part.functionResponse.response),
      `${where}: a function response needs name and response`,
    );
}

function resultText({ response }: Record<string, unknown>): string {
  const { output, error } = isRecord(response) ? response : {};
  const told = output ?? error ?? response;
  return typeof told === 'string' ? told : JSON.stringify(told);
}
