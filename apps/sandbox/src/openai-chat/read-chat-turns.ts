import { optionalObjects, textIn } from '../request/read-values';
import { demand, type RefusalDetails } from '../request/refusal';
import type { Turn } from '../request/turns';

type Message = Record<string, unknown>;

const partTypes = ['text', 'image_url', 'input_audio', 'file', 'refusal', 'video_url', 'thinking', 'document_url'];

/** What was said so far. Every call has its result right behind it. @throws Refusal */
export function readChatTurns(messages: readonly Message[]): Turn[] {
  const open = new Set<string>();
  const turns = messages.map((message, index): Turn => {
    const param = `messages.[${index}].role`;
    demand(
      message.role === 'tool' || open.size === 0,
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
      { param },
    );
    return readMessage(message, index, open);
  });
  demand(
    open.size === 0,
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
    { param: 'messages' },
  );
  return turns;
}

function readMessage(message: Message, index: number, open: Set<string>): Turn {
  const where = `messages[${index}]`;
  switch (message.role) {
    case 'user':
      return { kind: 'user', text: contentText(message.content, where) };
    case 'system':
    case 'developer':
    case 'function':
      contentText(message.content, where);
      return { kind: 'assistant' };
    case 'assistant':
      readCalls(message, where, open);
      return { kind: 'assistant' };
    case 'tool':
      demand(
        open.delete(textIn(message.tool_call_id)),
        "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
        { param: `messages.[${index}].role` },
      );
      return { kind: 'results', texts: [contentText(message.content, where)] };
    default:
      demand(
        false,
        `Invalid value: '${textIn(message.role)}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
        { param: `${where}.role`, code: 'invalid_value' },
      );
      return { kind: 'assistant' };
  }
}

function readCalls(message: Message, where: string, open: Set<string>): void {
  const calls = optionalObjects(message.tool_calls, `${where}.tool_calls`);
  demand(
    message.tool_calls === undefined || message.tool_calls === null || calls.length > 0,
    `Invalid '${where}.tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    { param: `${where}.tool_calls`, code: 'empty_array' },
  );
  for (const call of calls) {
    const id = textIn(call.id);
    demand(id !== '', `Missing required parameter: '${where}.tool_calls[0].id'.`, { param: `${where}.tool_calls` });
    open.add(id);
  }
  if (message.content === undefined || message.content === null) {
    const hasOther =
      calls.length > 0 || message.refusal != null || message.audio != null || message.function_call != null;
    demand(hasOther, `Invalid value for 'content': expected a string, got null.`, { param: `${where}.content` });
  } else contentText(message.content, where);
}

function contentText(content: unknown, where: string): string {
  if (typeof content === 'string') return content;
  demand(Array.isArray(content), "Invalid value for 'content': expected a string, got null.", {
    param: `${where}.content`,
    code: 'invalid_type',
  });
  return optionalObjects(content, `${where}.content`)
    .map((part) => {
      demand(
        partTypes.includes(textIn(part.type)),
        `Invalid value: '${textIn(part.type)}'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', and 'file'.`,
        { param: `${where}.content`, code: 'invalid_value' },
      );
      return textIn(part.text);
    })
    .join(' ');
}

const usual = ['system', 'user', 'assistant', 'tool'];

/**
 * How makers word their refusal of other roles, among them `developer`, which is OpenAI's. Each knows the
 * usual four, and `more`.
 */
interface KnownRoles {
  provider: string;
  models: RegExp;
  more?: string[];
  words: (role: string, at: number) => string;
  details?: RefusalDetails;
}

const rules: readonly KnownRoles[] = [
  {
    // https://github.com/earendil-works/pi/issues/1048
    // https://github.com/OpenCoworkAI/open-codesign/issues/316
    provider: 'deepseek',
    models: /^deepseek-/,
    more: ['latest_reminder'],
    words: (role, at) =>
      `Failed to deserialize the JSON body into the target type: messages[${at}].role: unknown variant \`${role}\`, expected one of \`system\`, \`user\`, \`assistant\`, \`tool\`, \`latest_reminder\``,
    details: { code: 'invalid_request_error' },
  },
  {
    // https://github.com/proma-ai/Proma/issues/1496
    provider: 'alibaba',
    models: /^qwen(?!\/)/,
    more: ['function'],
    words: (role, at) =>
      `${role} is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.[${at}].role'`,
    details: { code: 'invalid_parameter_error' },
  },
  // https://github.com/openclaw/openclaw/issues/8579
  { provider: 'moonshot', models: /^kimi-/, words: () => 'invalid request: unsupported role ROLE_UNSPECIFIED' },
  // https://github.com/vastsa/PI-Desktop/issues/30
  { provider: 'zai', models: /^glm-/, words: () => 'Incorrect role information', details: { code: '1214' } },
];

/**
 * `provider` empty: the model's name tells whose rules hold.
 * @throws Refusal for a message of a role that the maker of the model does not know.
 */
export function checkRoles({ messages }: Record<string, unknown>, model: string, provider: string): void {
  const rule = rules.find((each) => (provider === '' ? each.models.test(model) : each.provider === provider));
  if (!rule) return;
  for (const [at, message] of optionalObjects(messages, 'messages').entries()) {
    const role = textIn(message.role);
    demand(usual.includes(role) || rule.more?.includes(role) === true, rule.words(role, at), rule.details);
  }
}
