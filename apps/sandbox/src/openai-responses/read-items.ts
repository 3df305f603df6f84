import { isRedacted, isSeal, sealOf } from '../answer/seal';
import { demandOneOf, demandShort, objects, optionalObjects, textIn } from '../request/read-values';
import { demand } from '../request/refusal';
import type { Turn } from '../request/turns';

type Item = Record<string, unknown>;

/** How the ids of each type of item begin. */
const idPrefixes: Readonly<Record<string, string>> = {
  // https://github.com/openai/codex/issues/33176
  message: 'msg',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  reasoning: 'rs',
};

/** What a model's answer goes on with behind its reasoning. */
const modelItems = [
  'message',
  'function_call',
  'custom_tool_call',
  'tool_search_call',
  'reasoning',
  'web_search_call',
  'compaction',
];

/**
 * What was said so far: every call has its output, and reasoning comes back whole and with what followed it.
 * `isStored`: items can be found by their id. `provider`: whose rules hold, empty where nobody said.
 * @throws Refusal
 */
export function readItems(items: readonly Item[], isStored: boolean, provider = ''): Turn[] {
  const open = new Set<string>();
  const turns = items.map((item, index) => {
    checkId(item, index);
    checkBounds(item, `input[${index}]`);
    if (item.type === 'agent_message') return readAgentMessage(item, `input[${index}]`, provider);
    // https://github.com/Wei-Shaw/sub2api/issues/4237
    demand(
      provider !== 'xai' || item.type !== 'reasoning' || item.content !== null,
      'Failed to deserialize the JSON body into the target type: data did not match any variant of untagged enum ModelInput',
      { status: 422 },
    );
    if (item.type === 'reasoning') checkReasoning(item, index, items[index + 1], isStored);
    return readItem(item, index, open, index === items.length - 1);
  });
  const [missing] = open;
  demand(missing === undefined, `No tool output found for function call ${missing}.`, { param: 'input' });
  return turns;
}

function checkId({ type, id }: Item, index: number): void {
  if (typeof id !== 'string') return;
  const prefix = idPrefixes[textIn(type)];
  const details = { param: `input[${index}].id`, code: 'invalid_value' };
  demand(
    prefix === undefined || id.startsWith(prefix),
    `Invalid 'input[${index}].id': '${id}'. Expected an ID that begins with '${prefix}'.`,
    details,
  );
  // https://github.com/earendil-works/pi/issues/1022
  demand(
    /^[\w-]+$/.test(id),
    `Invalid 'input[${index}].id': '${id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.`,
    details,
  );
}

/** Characters: of a name, and of a text. */
const most = { name: 64, text: 10_485_760 };
const statuses = ['in_progress', 'searching', 'completed', 'incomplete', 'failed'];

/**
 * Lengths and words of members that several types share.
 * https://github.com/openai/openai-openapi (openapi.json: FunctionCallOutputItemParam, InputImageContent) and
 * of a call: https://github.com/RooCodeInc/Roo-Code/pull/10763 and of an item:
 * https://github.com/can1357/oh-my-pi/issues/284
 */
function checkBounds(item: Item, where: string): void {
  demandShort(item.id, `${where}.id`, most.name);
  demandShort(item.call_id, `${where}.call_id`, most.name);
  demandShort(item.namespace, `${where}.namespace`, most.name);
  demandShort(item.output, `${where}.output`, most.text);
  demandOneOf(item.status, `${where}.status`, statuses);
  demandOneOf(item.phase, `${where}.phase`, ['commentary', 'final_answer']);
}

function readItem(item: Item, index: number, open: Set<string>, isLast: boolean): Turn {
  const where = `input[${index}]`;
  switch (item.type ?? 'message') {
    case 'message':
      return readMessage(item, where);
    case 'function_call':
    case 'custom_tool_call': {
      const given = item.type === 'function_call' ? 'arguments' : 'input';
      for (const name of ['call_id', 'name', given])
        demand(typeof item[name] === 'string', `Missing required parameter: '${where}.${name}'.`, {
          param: `${where}.${name}`,
          code: 'missing_required_parameter',
        });
      open.add(textIn(item.call_id));
      return { kind: 'assistant' };
    }
    // https://developers.openai.com/api/docs/guides/tools-tool-search
    case 'tool_search_call':
      if (item.execution === 'client') open.add(textIn(item.call_id));
      return { kind: 'assistant' };
    case 'tool_search_output':
      if (item.execution !== 'client') return { kind: 'assistant' };
      demandCalled(item, open);
      return { kind: 'results', texts: [JSON.stringify(item.tools)] };
    case 'additional_tools':
      demand(item.role === 'developer', `Invalid value: '${textIn(item.role)}'. Supported values are: 'developer'.`, {
        param: `${where}.role`,
        code: 'invalid_value',
      });
      return { kind: 'assistant' };
    case 'function_call_output':
    case 'custom_tool_call_output':
      demandCalled(item, open);
      return { kind: 'results', texts: [contentText(item.output, where, ['input_text', 'input_image', 'input_file'])] };
    case 'item_reference':
      demand(false, `Item with id '${textIn(item.id)}' not found.`, { param: 'input', status: 404 });
      return { kind: 'assistant' };
    // It stands at the end:
    // https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
    case 'compaction_trigger':
      demand(isLast, `Invalid '${where}': 'compaction_trigger' must be the final input item.`, { param: where });
      return { kind: 'assistant' };
    case 'compaction':
      demand(
        isSeal(item.encrypted_content),
        `The encrypted content for item ${textIn(item.id)} could not be verified.`,
        {
          code: 'invalid_encrypted_content',
        },
      );
      return { kind: 'assistant' };
    default:
      demand(modelItems.includes(textIn(item.type)), `Invalid value: '${textIn(item.type)}'.`, {
        param: `${where}.type`,
        code: 'invalid_value',
      });
      return { kind: 'assistant' };
  }
}

function demandCalled({ call_id: id }: Item, open: Set<string>): void {
  demand(open.delete(textIn(id)), `No tool call found for function call output with call_id ${textIn(id)}.`, {
    param: 'input',
  });
}

function readMessage({ role, content }: Item, where: string): Turn {
  const name = textIn(role);
  demand(
    ['user', 'assistant', 'system', 'developer'].includes(name),
    `Invalid value: '${name}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`,
    { param: `${where}.role`, code: 'invalid_value' },
  );
  const types =
    name === 'assistant' ? ['output_text', 'refusal'] : ['input_text', 'input_image', 'input_file', 'input_audio'];
  const text = contentText(content, where, types);
  return name === 'user' ? { kind: 'user', text } : { kind: 'assistant' };
}

/**
 * What an agent of Codex says to another, which OpenAI alone knows, in the words of Bedrock:
 * https://github.com/BerriAI/litellm/issues/36528 Its seals are OpenAI's own:
 * https://github.com/openai/codex/issues/33551
 */
function readAgentMessage({ content, id }: Item, where: string, provider: string): Turn {
  demand(
    provider === '' || provider === 'openai',
    "invalid request body: Invalid 'input': value did not match any expected variant",
    { param: 'input' },
  );
  const parts = objects(content, `${where}.content`);
  for (const part of parts.filter(({ type }) => type === 'encrypted_content'))
    demand(
      textIn(part.encrypted_content).startsWith('gAAAAA'),
      `The encrypted content for item ${textIn(id)} could not be verified.`,
      { code: 'invalid_encrypted_content' },
    );
  return { kind: 'user', text: contentText(parts, where, ['input_text', 'encrypted_content']) };
}

/** https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items */
function checkReasoning(item: Item, index: number, next: Item | undefined, isStored: boolean): void {
  const where = `input[${index}]`;
  const { id, summary, encrypted_content: sealed } = item;
  demand(Array.isArray(summary), `Missing required parameter: '${where}.summary'.`, {
    param: `${where}.summary`,
    code: 'missing_required_parameter',
  });
  const isSealed = typeof sealed === 'string';
  demand(
    isSealed || isStored,
    `Item with id '${textIn(id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    { param: 'input', status: 404 },
  );
  const text = optionalObjects(summary, `${where}.summary`)
    .map((part) => textIn(part.text))
    .join('');
  demand(
    !isSealed || isRedacted(sealed) || (text === '' ? isSeal(sealed) : sealed === sealOf(text)),
    `The encrypted content for item ${textIn(id)} could not be verified.`,
    { code: 'invalid_encrypted_content' },
  );
  const follows = next !== undefined && modelItems.includes(textIn(next.type ?? 'message')) && next.role !== 'user';
  demand(follows, `Item '${textIn(id)}' of type 'reasoning' was provided without its required following item.`, {
    param: 'input',
  });
}

function contentText(content: unknown, where: string, types: readonly string[]): string {
  if (typeof content === 'string') return content;
  return objects(content, `${where}.content`)
    .map((part, index) => {
      demand(
        types.includes(textIn(part.type)),
        `Invalid value: '${textIn(part.type)}'. Supported values are: ${types.map((type) => `'${type}'`).join(', ')}.`,
        { param: `${where}.content[${index}]`, code: 'invalid_value' },
      );
      demandOneOf(part.detail, `${where}.content[${index}].detail`, ['auto', 'low', 'high', 'original']);
      demandShort(part.text, `${where}.content[${index}].text`, most.text);
      return textIn(part.text);
    })
    .join(' ');
}
