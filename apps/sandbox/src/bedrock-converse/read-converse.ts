import { inputOf } from '../request/input-text';
import { unasked, type NeutralRequest, type OfferedTool, type WantedTool } from '../request/neutral-request';
import {
  demandKnown,
  limitIn,
  memberOf,
  numberIn,
  objects,
  optionalObjects,
  textIn,
  textsIn,
} from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import { lookBack } from '../request/turns';
import type { Addressed } from '../speech/simulated-dialect';
import { checkBlock } from './check-block';
import { readReasoning, thinksByBudget } from './read-reasoning';
import { readTurns, sourcesIn } from './read-turns';

const knownFields = [
  'messages',
  'system',
  'inferenceConfig',
  'toolConfig',
  'additionalModelRequestFields',
  'additionalModelResponseFieldPaths',
  'guardrailConfig',
  'performanceConfig',
  'promptVariables',
  'requestMetadata',
  'outputConfig',
  'serviceTier',
];

/**
 * Reads a Converse request as strictly as Bedrock, with the model in the address.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 * @throws Refusal
 */
export function readConverse(body: Record<string, unknown>, { model, stream }: Addressed): NeutralRequest {
  demandKnown(body, knownFields, (name) => `The request has a member that is not known: ${name}`);
  const config = memberOf(body, 'inferenceConfig');
  demandKnown(
    config,
    ['maxTokens', 'temperature', 'topP', 'stopSequences'],
    (name) => `inferenceConfig has a member that is not known: ${name}`,
  );
  numberIn(config.temperature, 'inferenceConfig.temperature', 0, 1);
  numberIn(config.topP, 'inferenceConfig.topP', 0, 1);
  const maxTokens = limitIn(config.maxTokens, 'inferenceConfig.maxTokens');
  checkMembers(body, config);
  for (const [index, block] of optionalObjects(body.system, 'system').entries())
    checkBlock(block, 'system', `system.${index}`);
  const messages = objects(body.messages, 'messages');
  demand(
    messages.length > 0,
    'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
  );
  checkDocuments(messages);
  const toolConfig = memberOf(body, 'toolConfig');
  const tools = readConverseTools(toolConfig);
  const reasons = readReasoning(body, model ?? '', maxTokens);
  demand(
    tools.length > 0 || !/"tool(?:Use|Result)":/.test(JSON.stringify(messages)),
    'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
  );
  return {
    ...unasked,
    model: model ?? '',
    stream: stream === true,
    ...lookBack(readTurns(messages, thinksByBudget(body))),
    tools,
    toolChoice: readToolChoice(toolConfig.toolChoice, tools),
    reasons,
    schema: schemaOf(body),
    maxTokens,
    stops: textsIn(config.stopSequences, 'inferenceConfig.stopSequences', 2_500),
    sources: sourcesIn(messages),
    ...inputOf(body.system ?? [], messages, toolConfig),
    cached: cachedParts(model ?? '', body.system, toolConfig, messages),
  };
}

const label = /^[a-zA-Z0-9\s:_@$#=/+,.-]{1,256}$/;
const mostLabels = 16;
const mostPaths = 10;
const mostDocuments = 5;

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html @throws Refusal */
function checkMembers(body: Record<string, unknown>, config: Record<string, unknown>): void {
  const oneOf = (value: unknown, where: string, known: readonly string[]) =>
    demand(
      value === undefined || known.includes(textIn(value)),
      `Value '${textIn(value)}' at '${where}' failed to satisfy constraint: Member must satisfy enum value set: [${known.join(', ')}]`,
    );
  oneOf(memberOf(body, 'performanceConfig').latency, 'performanceConfig.latency', ['standard', 'optimized']);
  oneOf(memberOf(body, 'serviceTier').type, 'serviceTier.type', ['default', 'priority', 'flex', 'reserved']);
  const least = 'failed to satisfy constraint: Member must have length greater than or equal to 1';
  for (const stop of textsIn(config.stopSequences, 'inferenceConfig.stopSequences', 2_500))
    demand(stop !== '', `Value '[]' at 'inferenceConfig.stopSequences' ${least}`);
  textsIn(body.additionalModelResponseFieldPaths, 'additionalModelResponseFieldPaths', mostPaths);
  const labels = Object.entries(memberOf(body, 'requestMetadata'));
  demand(
    labels.length <= mostLabels,
    `Value at 'requestMetadata' failed to satisfy constraint: Member must have length less than or equal to ${mostLabels}`,
  );
  for (const [name, value] of labels)
    demand(
      label.test(name) && (value === '' || label.test(textIn(value))),
      `Value at 'requestMetadata' failed to satisfy constraint: Map value must satisfy constraint: [Member must satisfy regular expression pattern: [a-zA-Z0-9\\s:_@$#=/+,-.]{0,256}]`,
    );
}

/**
 * The rule is documented, its words are not.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-api-restrictions.html
 */
function checkDocuments(messages: readonly Record<string, unknown>[]): void {
  const documents = messages.flatMap(({ content }) =>
    optionalObjects(content, 'content').filter((block) => block.document !== undefined),
  );
  demand(documents.length <= mostDocuments, `The request holds more than ${mostDocuments} documents.`);
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html */
function schemaOf(body: Record<string, unknown>): unknown {
  const format = memberOf(memberOf(body, 'outputConfig'), 'textFormat');
  if (Object.keys(format).length === 0) return null;
  demand(format.type === 'json_schema', 'outputConfig.textFormat.type must be json_schema');
  const { schema } = memberOf(memberOf(format, 'structure'), 'jsonSchema');
  demand(typeof schema === 'string', 'outputConfig.textFormat.structure.jsonSchema.schema must be a string');
  return JSON.parse(schema);
}

/**
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolConfiguration.html
 * @throws Refusal
 */
function readConverseTools(toolConfig: Record<string, unknown>): OfferedTool[] {
  demandKnown(toolConfig, ['tools', 'toolChoice'], (name) => `toolConfig has no member ${name}`);
  const tools = optionalObjects(toolConfig.tools, 'toolConfig.tools');
  demand(
    Object.keys(toolConfig).length === 0 || tools.length > 0,
    "Value '[]' at 'toolConfig.tools' failed to satisfy constraint: Member must have length greater than or equal to 1",
  );
  return tools.flatMap((tool, index) => {
    if (tool.cachePoint !== undefined || tool.systemTool !== undefined) return [];
    return [readSpec(memberOf(tool, 'toolSpec'), `toolConfig.tools.${index}.member.toolSpec`)];
  });
}

function readSpec(spec: Record<string, unknown>, where: string): OfferedTool {
  demandKnown(spec, ['name', 'description', 'inputSchema', 'strict'], (name) => `${where} has no member ${name}`);
  const name = textIn(spec.name);
  demand(
    /^[a-zA-Z0-9_-]{1,64}$/.test(name),
    `Value '${name}' at '${where}.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`,
  );
  demand(
    spec.description === undefined || textIn(spec.description) !== '',
    `Value '' at '${where}.description' failed to satisfy constraint: Member must have length greater than or equal to 1`,
  );
  const { json } = memberOf(spec, 'inputSchema');
  demand(
    isRecord(json) && json.type === 'object',
    `The value at ${where}.inputSchema.json.type must be one of the following: object.`,
  );
  return { name, schema: json };
}

/** @throws Refusal for a choice that is none, and for one of a tool that is not there. */
function readToolChoice(choice: unknown, tools: readonly OfferedTool[]): WantedTool {
  if (choice === undefined) return 'auto';
  const [kind, ...more] = isRecord(choice) ? Object.keys(choice) : [];
  demand(
    more.length === 0 && (kind === 'auto' || kind === 'any' || kind === 'tool'),
    'toolConfig.toolChoice must have exactly one of the members auto, any, tool',
  );
  if (kind !== 'tool') return kind === 'any' ? 'required' : 'auto';
  const name = textIn(memberOf(choice, 'tool').name);
  demand(
    tools.some((tool) => tool.name === name),
    `The tool ${name} in toolConfig.toolChoice is not among toolConfig.tools.`,
  );
  return { name };
}

const mostPoints = 4;

type Json = Record<string, unknown>;

/**
 * The blocks up to the last cache point, in the order of the prompt: tools, system, messages. Null where
 * there is none. https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 * @throws Refusal for a model that has no cache, and for more points than four:
 * https://github.com/BerriAI/litellm/pull/39210 https://github.com/twentyhq/twenty/pull/26227
 */
function cachedParts(model: string, system: unknown, { tools }: Json, messages: readonly Json[]): string[] | null {
  const blocks = [
    ...optionalObjects(tools, 'toolConfig.tools'),
    ...optionalObjects(system, 'system'),
    ...messages.flatMap(({ role, content }) =>
      optionalObjects(content, 'content').map((block) => ({ role, ...block })),
    ),
  ];
  const points = blocks.filter(isPoint).length;
  // The name of a profile of the caller's own says nothing of its model.
  demand(
    points === 0 || /claude|nova|^arn:/.test(model),
    'You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information.',
    { status: 403 },
  );
  demand(
    points <= mostPoints,
    `The model returned the following errors: A maximum of ${mostPoints} blocks with cache_control may be provided. Found ${points}.`,
  );
  const last = blocks.findLastIndex(isPoint);
  // Points move on from one request to the next, and what stands before them stays the same.
  return last < 0
    ? null
    : blocks
        .slice(0, last)
        .filter((block) => !isPoint(block))
        .map((block) => JSON.stringify(block));
}

function isPoint(block: Json): boolean {
  return block.cachePoint !== undefined;
}
