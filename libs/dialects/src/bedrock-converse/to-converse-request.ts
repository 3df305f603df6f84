import { factsOf } from '../anthropic-messages/model-facts';
import { toStructuredSchema } from '../anthropic-messages/structured-schema';
import { wantedTools } from '../anthropic-messages/wanted-tools';
import type { ProviderRequest } from '../canonical/codec';
import { describedSchema } from '../canonical/described-schema';
import type { CanonicalMessage, CanonicalRequest, ToolDefinition } from '../canonical/generation-request';
import type { UpstreamTarget } from '../provider-dialect';
import { type Block, ContentWriter } from './content-writer';
import { modelFamily } from './model-family';
import { toConversation } from './to-conversation';
import { toReasoningFields } from './to-reasoning-fields';
import { noArguments, rewordedTold, toldBeside, toToolSchema } from '../canonical/tool-schema';

/**
 * A request of Converse or ConverseStream.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
export function toConverseRequest(asked: CanonicalRequest, target: UpstreamTarget): ProviderRequest {
  const writer = new ContentWriter(modelFamily(target));
  const request = { ...withoutRefusedForce(asked, target, writer), stop: stopSequences(asked, writer) };
  const { system, messages } = toConversation(request.messages, writer);
  const reasoning = toReasoningFields(request, target, writer);
  const format = toOutputFormat(request, writer);
  const body = {
    messages,
    system: [...system, ...format.instruction],
    toolConfig: toToolConfig(request, writer),
    inferenceConfig: inferenceConfig(request, { ...reasoning, takesOne: takesOneSampling(target) }, writer),
    outputConfig: format.outputConfig,
    additionalModelRequestFields: { ...reasoning.fields, ...topK(request, target, reasoning.thinks, writer) },
    additionalModelResponseFieldPaths: responseFields(request, target),
    requestMetadata: requestMetadata(request, writer),
  };
  const action = request.stream ? 'converse-stream' : 'converse';
  return {
    path: `/model/${encodeURIComponent(target.upstreamModel)}/${action}`,
    headers: {
      'content-type': 'application/json',
      accept: request.stream ? 'application/vnd.amazon.eventstream' : 'application/json',
    },
    body: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined && !isEmpty(value))),
    warnings: writer.warnings,
  };
}

/** Claude of the fall of 2026 refuses it here, too: https://github.com/vercel/ai/issues/21364 */
function withoutRefusedForce(request: CanonicalRequest, target: UpstreamTarget, writer: ContentWriter) {
  const warnings: string[] = [];
  const { choice, demand } = wantedTools(request.toolChoice, factsOf(target), warnings);
  for (const warning of warnings) writer.warn(warning);
  if (demand === null) return request;
  const turn: CanonicalMessage = { role: 'user', parts: [{ type: 'text', text: demand }] };
  return { ...request, toolChoice: choice, messages: [...request.messages, turn] };
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

/** https://github.com/aws-samples/bedrock-access-gateway/pull/238 */
function takesOneSampling(target: UpstreamTarget): boolean {
  return modelFamily(target) === 'claude' && factsOf(target).refusesTemperatureWithTopP;
}

/**
 * Temperature goes up to 1 here. Claude takes none while it thinks:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html
 */
function inferenceConfig(
  request: CanonicalRequest,
  { thinks, takesOne }: { thinks: boolean; takesOne: boolean },
  writer: ContentWriter,
): Block {
  const { maxOutputTokens, temperature, topP, stop } = request;
  const config: Block = {};
  if (maxOutputTokens !== undefined) config.maxTokens = maxOutputTokens;
  if (stop && stop.length > 0) config.stopSequences = stop;
  if (thinks && temperature !== undefined && temperature !== 1) {
    writer.warn('temperature was dropped: Claude takes none while it thinks');
  } else if (temperature !== undefined) {
    config.temperature = Math.min(1, temperature);
    if (temperature > 1) writer.warn('temperature was changed to 1: the most that Amazon Bedrock takes');
  }
  if (thinks && topP !== undefined && topP < 0.95) {
    writer.warn('top p was dropped: Claude takes at least 0.95 while it thinks');
  } else if (topP !== undefined && config.temperature !== undefined && takesOne) {
    writer.warn('top p was dropped: this model does not take it beside temperature');
  } else if (topP !== undefined) config.topP = topP;
  return config;
}

/**
 * None is empty, and Claude refuses blank ones here as at its maker's.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InferenceConfiguration.html
 */
function stopSequences({ stop = [] }: CanonicalRequest, writer: ContentWriter): string[] {
  const usable = stop.filter((sequence) => (writer.family === 'claude' ? sequence.trim() : sequence) !== '');
  if (usable.length < stop.length) writer.warn('stop sequences of white space were dropped: this model takes none');
  return usable;
}

/**
 * Each family has its own name for it, most have none.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html
 */
function topK({ topK }: CanonicalRequest, target: UpstreamTarget, thinks: boolean, writer: ContentWriter): Block {
  if (topK === undefined) return {};
  const family = modelFamily(target);
  if (family === 'claude' && !thinks) return { top_k: topK };
  if (family === 'nova') return { inferenceConfig: { topK } };
  writer.warn(
    `top k was dropped: ${thinks ? 'Claude takes none while it thinks' : `${target.model.id} does not take it`}`,
  );
  return {};
}

/**
 * Which stop sequence ended an answer is told by Claude only, under one name whole and another in streams.
 */
function responseFields({ stop = [] }: CanonicalRequest, target: UpstreamTarget): string[] | undefined {
  return stop.length > 0 && modelFamily(target) === 'claude' ? ['/stop_sequence', '/delta/stop_sequence'] : undefined;
}

/**
 * At most 16 labels of up to 256 of these characters.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#bedrock-runtime_Converse-request-requestMetadata
 */
function requestMetadata({ metadata }: CanonicalRequest, writer: ContentWriter): Block | undefined {
  if (!metadata) return undefined;
  const fitting = Object.entries(metadata)
    .filter(([name, value]) => /^[\w\s:@$#=/+,.-]{1,256}$/.test(name) && /^[\w\s:@$#=/+,.-]{0,256}$/.test(value))
    .slice(0, 16);
  const left = Object.keys(metadata).filter((name) => !fitting.some(([kept]) => kept === name));
  if (left.length > 0) {
    writer.warn(
      `${left.length} of the metadata ${left.length === 1 ? 'was' : 'were'} dropped: Bedrock takes 16 of plain characters`,
    );
  }
  return Object.fromEntries(fitting);
}

/** How an answer is bound to JSON: by a schema, or in words of the system prompt. */
interface OutputFormat {
  outputConfig?: Block;
  instruction: Block[];
}

/**
 * Bedrock binds answers to schemas in which every object is closed, and takes the subset of JSON schema that
 * Anthropic takes; what is beyond is asked for in words, with a warning.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html
 */
function toOutputFormat({ responseFormat }: CanonicalRequest, writer: ContentWriter): OutputFormat {
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

/**
 * The tools of a request; undefined for none. Bedrock wants every tool of the conversation's calls named,
 * also where none may be called any more, and has no way to forbid calls.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolConfiguration.html
 */
function toToolConfig(request: CanonicalRequest, writer: ContentWriter): Block | undefined {
  const { tools = [], toolChoice } = request;
  const called = calledNames(request);
  if (toolChoice?.type === 'none' || tools.length === 0) {
    if (called.length === 0) return undefined;
    writer.warn('the tools of earlier calls are named again, as Bedrock wants it: the model may call them once more');
  }
  const definitions = tools.length > 0 ? tools : called.map((name): ToolDefinition => ({ name }));
  const choice = choiceOf(toolChoice);
  return {
    tools: definitions.flatMap((tool) => [
      { toolSpec: toolSpec(tool, writer) },
      ...(tool.cacheControl ? writer.cachePoint(tool.cacheControl, 'tools') : []),
    ]),
    ...(choice ? { toolChoice: choice } : {}),
  };
}

/**
 * A schema must be that of an object, at Claude as its maker takes it, and a description must not be empty.
 * https://github.com/code-yeongyu/senpi/issues/1947
 */
function toolSpec(
  { name, description, parameters = noArguments, strict }: ToolDefinition,
  writer: ContentWriter,
): Block {
  const { schema, told, reworded, isOpen }: ReturnType<typeof toToolSchema> =
    writer.family === 'claude' ? toToolSchema(parameters) : { schema: { type: 'object', ...parameters }, told: null };
  for (const warning of rewordedTold(name, reworded)) writer.warn(warning);
  const described = toldBeside(description, told);
  return {
    name,
    ...(described ? { description: described } : {}),
    inputSchema: { json: schema },
    // https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html
    ...(strict && !isOpen ? { strict } : {}),
  };
}

function choiceOf(choice: CanonicalRequest['toolChoice']): Block | undefined {
  switch (choice?.type) {
    case 'required':
      return { any: {} };
    case 'tool':
      return { tool: { name: choice.name } };
    case 'auto':
      return { auto: {} };
    default:
      return undefined;
  }
}

/** Names of the tools that the conversation has called, each once. */
function calledNames({ messages }: CanonicalRequest): string[] {
  const calls = messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'));
  return [...new Set(calls.map(({ name }) => name))];
}
