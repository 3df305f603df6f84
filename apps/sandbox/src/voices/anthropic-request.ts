import { signatureOf } from '../voice/answer-plan';
import { demand } from '../voice/neutral-request';
import type { NeutralRequest } from '../voice/neutral-request';
import { demandKnown, limitIn, numberIn, objects, optionalObjects, textIn } from '../voice/read-values';
import { isRecord } from '../voice/record';
import { lookBack } from '../voice/turns';
import type { Turn } from '../voice/turns';

const knownFields = [
  'model',
  'messages',
  'max_tokens',
  'system',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'tools',
  'tool_choice',
  'thinking',
  'metadata',
  'output_config',
  'output_format',
  'service_tier',
  'container',
  'context_management',
  'mcp_servers',
  'cache_control',
  'anthropic_version',
  'inference_geo',
];

type Block = Record<string, unknown>;

/** Reads a messages request as strictly as Anthropic. `named`: the model and method in Vertex AI's address. @throws Refusal */
export function readMessages(body: Record<string, unknown>, named: string | null): NeutralRequest {
  demandKnown(body, knownFields, '');
  const model = modelOf(body, named);
  const maxTokens = limitIn(body.max_tokens, 'max_tokens');
  demand(maxTokens !== null, 'max_tokens: Field required');
  numberIn(body.temperature, 'temperature', 0, 1);
  numberIn(body.top_p, 'top_p', 0, 1);
  checkThinking(body, maxTokens);
  const messages = objects(body.messages, 'messages');
  demand(messages.length > 0, 'messages: at least one message is required');
  const turns = readTurns(messages);
  const format = isRecord(body.output_config) ? body.output_config.format : body.output_format;
  const input = JSON.stringify([body.system ?? '', messages, body.tools ?? []]);
  return {
    model,
    stream: body.stream === true || named?.endsWith(':streamRawPredict') === true,
    ...lookBack(turns),
    tools: optionalObjects(body.tools, 'tools').map(readTool),
    toolChoice: readChoice(body.tool_choice),
    reasons: isRecord(body.thinking) && body.thinking.type !== 'disabled',
    schema: isRecord(format) ? format.schema : null,
    maxTokens,
    stops: Array.isArray(body.stop_sequences) ? body.stop_sequences.map(textIn) : [],
    inputText: input,
    isCached: input.includes('"cache_control"'),
  };
}

function modelOf(body: Record<string, unknown>, named: string | null): string {
  if (named === null) {
    demand(typeof body.model === 'string' && body.model !== '', 'model: Field required');
    return body.model;
  }
  demand(body.model === undefined, 'model: Extra inputs are not permitted');
  demand(body.anthropic_version === 'vertex-2023-10-16', 'anthropic_version: Field required');
  return named.replace(/:\w+$/, '');
}

/** https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
function checkThinking(
  { thinking, temperature, tool_choice: choice }: Record<string, unknown>,
  maxTokens: number,
): void {
  if (!isRecord(thinking) || thinking.type === 'disabled') return;
  if (thinking.type === 'enabled') {
    const budget = limitIn(thinking.budget_tokens, 'thinking.budget_tokens') ?? 0;
    demand(budget >= 1_024, 'thinking.budget_tokens: Input should be greater than or equal to 1024');
    demand(budget < maxTokens, '`max_tokens` must be greater than `thinking.budget_tokens`');
  }
  demand(temperature === undefined || temperature === 1, '`temperature` may only be set to 1 when thinking is enabled');
  const isForced = isRecord(choice) && (choice.type === 'any' || choice.type === 'tool');
  demand(!isForced, 'Thinking may not be enabled when tool_choice forces tool use.');
}

function readTool(tool: Record<string, unknown>): { name: string; schema: unknown } {
  demand(
    typeof tool.name === 'string' && /^[a-zA-Z0-9_-]{1,128}$/.test(tool.name),
    'tools: name must match ^[a-zA-Z0-9_-]{1,128}$',
  );
  demand(
    isRecord(tool.input_schema) && tool.input_schema.type === 'object',
    'tools: input_schema must be an object schema',
  );
  return { name: tool.name, schema: tool.input_schema };
}

function readChoice(choice: unknown): NeutralRequest['toolChoice'] {
  if (!isRecord(choice)) return 'auto';
  switch (choice.type) {
    case 'none':
      return 'none';
    case 'any':
      return 'required';
    case 'tool':
      return { name: textIn(choice.name) };
    default:
      demand(choice.type === 'auto', 'tool_choice: unknown type');
      return 'auto';
  }
}

/** Roles, and that every call has its result right behind it. */
function readTurns(messages: readonly Record<string, unknown>[]): Turn[] {
  let open = new Set<string>();
  return messages.map((message, index) => {
    const where = `messages.${index}`;
    demand(index > 0 || message.role === 'user', `${where}: the first message must use the "user" role`);
    const blocks = blocksOf(message.content, where);
    demand(blocks.length > 0 || message.role === 'assistant', `${where}: all messages must have non-empty content`);
    if (message.role === 'system') return { kind: 'user', text: joined(blocks) };
    demand(
      message.role === 'user' || message.role === 'assistant',
      `${where}.role: Input should be 'user' or 'assistant'`,
    );
    if (message.role === 'assistant') {
      open = new Set(blocks.flatMap((block) => (block.type === 'tool_use' ? [textIn(block.id)] : [])));
      for (const block of blocks) checkAssistantBlock(block, where);
      return { kind: 'assistant' };
    }
    const turn = userTurn(blocks, open, where);
    demand(
      open.size === 0,
      `${where}: tool_use ids were found without tool_result blocks immediately after: ${[...open].join(', ')}`,
    );
    return turn;
  });
}

function userTurn(blocks: readonly Block[], open: Set<string>, where: string): Turn {
  const results = blocks.filter(({ type }) => type === 'tool_result');
  for (const { tool_use_id: id } of results)
    demand(open.delete(textIn(id)), `${where}: unexpected tool_use_id found in tool_result blocks: ${textIn(id)}`);
  const others = ['text', 'image', 'document', 'tool_result', 'search_result'];
  for (const { type } of blocks) demand(others.includes(textIn(type)), `${where}: unknown block type ${textIn(type)}`);
  if (results.length === 0) return { kind: 'user', text: joined(blocks) };
  return { kind: 'results', texts: results.map((result) => joined(blocksOf(result.content ?? '', where))) };
}

function checkAssistantBlock(block: Block, where: string): void {
  switch (block.type) {
    case 'thinking':
      return demand(
        block.signature === signatureOf(textIn(block.thinking)),
        `${where}: Invalid \`signature\` in \`thinking\` block`,
      );
    case 'tool_use':
      demand(
        /^[a-zA-Z0-9_-]+$/.test(textIn(block.id)),
        `${where}: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`,
      );
      return demand(isRecord(block.input), `${where}: tool_use.input: Input should be an object`);
    default:
      demand(
        block.type === 'text' || block.type === 'redacted_thinking',
        `${where}: unknown block type ${textIn(block.type)}`,
      );
  }
}

function blocksOf(content: unknown, where: string): Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  const blocks = objects(content, `${where}.content`);
  for (const block of blocks)
    demand(block.type !== 'text' || textIn(block.text) !== '', `${where}: text content blocks must be non-empty`);
  return blocks;
}

function joined(blocks: readonly Block[]): string {
  return blocks.map(({ text }) => textIn(text)).join(' ');
}
