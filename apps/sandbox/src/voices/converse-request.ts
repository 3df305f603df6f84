import { signatureOf } from '../voice/answer-plan';
import { demand } from '../voice/neutral-request';
import type { NeutralRequest } from '../voice/neutral-request';
import { demandKnown, limitIn, numberIn, objects, optionalObjects, textIn } from '../voice/read-values';
import { isRecord } from '../voice/record';
import { lookBack } from '../voice/turns';
import type { Turn } from '../voice/turns';

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

type Block = Record<string, unknown>;

/** Reads a Converse request as strictly as Bedrock. @throws Refusal */
export function readConverse(
  body: Record<string, unknown>,
  named: string | null,
  stream: boolean | null,
): NeutralRequest {
  demandKnown(body, knownFields, '');
  const config = isRecord(body.inferenceConfig) ? body.inferenceConfig : {};
  demandKnown(config, ['maxTokens', 'temperature', 'topP', 'stopSequences'], 'inferenceConfig.');
  numberIn(config.temperature, 'inferenceConfig.temperature', 0, 1);
  numberIn(config.topP, 'inferenceConfig.topP', 0, 1);
  const messages = objects(body.messages, 'messages');
  demand(messages.length > 0, 'The messages field must not be empty.');
  const toolConfig = isRecord(body.toolConfig) ? body.toolConfig : {};
  const hasToolBlocks = JSON.stringify(messages).includes('"toolUse"');
  const tools = optionalObjects(toolConfig.tools, 'toolConfig.tools').flatMap(readTool);
  demand(
    !hasToolBlocks || tools.length > 0,
    'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
  );
  const fields = isRecord(body.additionalModelRequestFields) ? body.additionalModelRequestFields : {};
  const thinking = isRecord(fields.thinking) ? fields.thinking : fields.reasoning_config;
  const input = JSON.stringify([body.system ?? [], messages, toolConfig]);
  return {
    model: named ?? '',
    stream: stream === true,
    ...lookBack(readTurns(messages)),
    tools,
    toolChoice: readChoice(toolConfig.toolChoice),
    reasons: isRecord(thinking) && thinking.type !== 'disabled',
    schema: schemaOf(body.outputConfig),
    maxTokens: limitIn(config.maxTokens, 'inferenceConfig.maxTokens'),
    stops: Array.isArray(config.stopSequences) ? config.stopSequences.map(textIn) : [],
    inputText: input,
    isCached: input.includes('"cachePoint"'),
  };
}

function readTool(tool: Record<string, unknown>): { name: string; schema: unknown }[] {
  if (tool.cachePoint !== undefined) return [];
  demand(
    isRecord(tool.toolSpec) && isRecord(tool.toolSpec.inputSchema),
    'toolConfig.tools: toolSpec with inputSchema is required',
  );
  const { name, inputSchema } = tool.toolSpec;
  demand(/^[a-zA-Z0-9_-]{1,64}$/.test(textIn(name)), 'toolSpec.name must match [a-zA-Z0-9_-]+');
  return [{ name: textIn(name), schema: isRecord(inputSchema) ? inputSchema.json : {} }];
}

function readChoice(choice: unknown): NeutralRequest['toolChoice'] {
  if (!isRecord(choice)) return 'auto';
  if (choice.any !== undefined) return 'required';
  return isRecord(choice.tool) ? { name: textIn(choice.tool.name) } : 'auto';
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html */
function schemaOf(outputConfig: unknown): unknown {
  const format = isRecord(outputConfig) && isRecord(outputConfig.textFormat) ? outputConfig.textFormat : null;
  if (!format) return null;
  const json = isRecord(format.structure) && isRecord(format.structure.jsonSchema) ? format.structure.jsonSchema : {};
  demand(typeof json.schema === 'string', 'outputConfig.textFormat.structure.jsonSchema.schema must be a string');
  return JSON.parse(json.schema);
}

function readTurns(messages: readonly Record<string, unknown>[]): Turn[] {
  let open = new Set<string>();
  return messages.map((message, index) => {
    const where = `messages.${index}`;
    demand(message.role === 'user' || message.role === 'assistant', `${where}.role must be user or assistant`);
    demand(index > 0 || message.role === 'user', 'A conversation must start with a user message.');
    demand(
      message.role !== messages[index - 1]?.role,
      'A conversation must alternate between user and assistant roles.',
    );
    const blocks = objects(message.content, `${where}.content`);
    demand(blocks.length > 0, `${where}.content must not be empty`);
    for (const block of blocks) checkBlock(block, where);
    if (message.role === 'assistant') {
      open = new Set(blocks.flatMap(({ toolUse }) => (isRecord(toolUse) ? [textIn(toolUse.toolUseId)] : [])));
      return { kind: 'assistant' };
    }
    const results = blocks.flatMap(({ toolResult }) => (isRecord(toolResult) ? [toolResult] : []));
    for (const { toolUseId } of results)
      demand(open.delete(textIn(toolUseId)), `${where}: unexpected toolUseId ${textIn(toolUseId)}`);
    demand(
      open.size === 0,
      `Expected toolResult blocks at ${where}.content for the following Ids: ${[...open].join(', ')}`,
    );
    return userTurn(blocks, results);
  });
}

function userTurn(blocks: readonly Block[], results: readonly Block[]): Turn {
  const textOf = (list: readonly Block[]) =>
    list.map(({ text, json }) => (json === undefined ? textIn(text) : JSON.stringify(json))).join(' ');
  if (results.length === 0) return { kind: 'user', text: textOf(blocks) };
  return {
    kind: 'results',
    texts: results.map(({ content }) => textOf(optionalObjects(content, 'toolResult.content'))),
  };
}

function checkBlock(block: Block, where: string): void {
  const kinds = [
    'text',
    'image',
    'document',
    'video',
    'audio',
    'toolUse',
    'toolResult',
    'reasoningContent',
    'cachePoint',
    'guardContent',
    'citationsContent',
  ];
  const kind = Object.keys(block);
  demand(kind.length === 1 && kinds.includes(kind[0] ?? ''), `${where}: a content block must have one known member`);
  demand(
    block.text === undefined || textIn(block.text).trim() !== '',
    `The text field in the ContentBlock object at ${where} is blank.`,
  );
  if (isRecord(block.toolUse))
    demand(
      /^[a-zA-Z0-9_-]{1,64}$/.test(textIn(block.toolUse.toolUseId)),
      `${where}: toolUseId must match [a-zA-Z0-9_-]+`,
    );
  if (isRecord(block.reasoningContent) && isRecord(block.reasoningContent.reasoningText)) {
    const { text, signature } = block.reasoningContent.reasoningText;
    demand(signature === signatureOf(textIn(text)), `${where}: Invalid signature in thinking block`);
  }
}
