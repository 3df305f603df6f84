import { GatewayError } from '@tollgate/contracts';
import type {
  CanonicalMessage,
  CanonicalRequest,
  FilePart,
  ImagePart,
  MessagePart,
  ToolCallPart,
  ToolResultPart,
} from '../canonical/generation-request';
import { customInput, freeTextNames } from '../canonical/custom-tool';
import { toDataUrl } from '../canonical/media-url';
import { shortName } from '../canonical/short-names';
import { idleThoughtsWarning } from '../openai-chat/kept-reasoning';
import { knowsFreeText, sealerOf } from '../provider-dialect';
import type { UpstreamTarget } from '../provider-dialect';

type Item = Record<string, unknown>;

/** `instructions` undefined: the conversation does not begin with a system message of text. */
interface Input {
  instructions: string | undefined;
  input: Item[];
}

/** What an item is written for: the provider, the tools of free text, and which calls were of such. */
interface Site {
  sealer: string;
  freeText: ReadonlySet<string>;
  calls: Set<string>;
}

/**
 * The conversation as items for this provider; `warnings` gets what it cannot be told. A first system message
 * becomes the instructions, but where a chat completion may be any JSON: the input must say the word, and
 * instructions are none of it. https://github.com/Wei-Shaw/sub2api/pull/3337
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 */
export function toInput(
  { surface, messages, tools, responseFormat: format }: CanonicalRequest,
  target: UpstreamTarget,
  warnings: string[],
): Input {
  const site: Site = { sealer: sealerOf(target), freeText: knownFreeText({ tools }, target), calls: new Set() };
  const inputOf = (told: readonly CanonicalMessage[]) =>
    withWhatFollows(
      told.flatMap((message) => itemsOf(message, site)),
      target,
      warnings,
    );
  const [first, ...rest] = messages;
  const isSystem = first?.role === 'system' && first.parts.every(({ type }) => type === 'text');
  const isKept = rest.length === 0 || (surface === 'openai-chat' && format?.type === 'json-object');
  if (!first || !isSystem || isKept) return { instructions: undefined, input: inputOf(messages) };
  const instructions = first.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  return { instructions, input: inputOf(rest) };
}

/** The names of the tools of free text, which are functions where the provider knows no other. */
export function knownFreeText({ tools }: Pick<CanonicalRequest, 'tools'>, target: UpstreamTarget): ReadonlySet<string> {
  return knowsFreeText(target) ? freeTextNames(tools) : new Set();
}

/**
 * OpenAI refuses reasoning without what the model made of it, as an answer leaves it that was broken off.
 * https://github.com/openai/openai-node/issues/1791
 */
function withWhatFollows(items: readonly Item[], target: UpstreamTarget, warnings: string[]): Item[] {
  const kept: Item[] = [];
  for (const item of items.toReversed()) if (item.type !== 'reasoning' || isMadeByModel(kept.at(-1))) kept.push(item);
  if (kept.length < items.length) warnings.push(idleThoughtsWarning(target));
  return kept.reverse();
}

function isMadeByModel(item: Item | undefined): boolean {
  return item?.role === 'assistant' || ['function_call', 'custom_tool_call', 'reasoning'].includes(String(item?.type));
}

/**
 * A message is one item, but for reasoning, calls and results, which are items of their own and keep their
 * place.
 */
function itemsOf({ role, parts }: CanonicalMessage, site: Site): Item[] {
  const items: Item[] = [];
  let content: Item[] = [];
  const shown = role === 'tool' ? 'user' : role;
  const flush = (): void => {
    if (content.length > 0) items.push({ type: 'message', role: shown, content });
    content = [];
  };
  for (const part of parts) {
    const item = toItem(part, site);
    if (item === undefined) {
      content.push(toContentPart(part, role));
      continue;
    }
    flush();
    if (item !== null) items.push(item);
  }
  flush();
  return items;
}

/** Undefined: the part is content of a message. Null: it cannot be sent to this dialect. */
function toItem(part: MessagePart, site: Site): Item | null | undefined {
  switch (part.type) {
    case 'tool-call':
      return toCall(part, site);
    case 'tool-result': {
      const type = site.calls.has(part.toolCallId) ? 'custom_tool_call_output' : 'function_call_output';
      return { type, call_id: shortName(part.toolCallId), output: toOutput(part) };
    }
    case 'reasoning':
      if (part.seal?.dialect !== 'openai-responses' || (part.seal.madeBy ?? site.sealer) !== site.sealer) return null;
      return {
        type: 'reasoning',
        id: part.id,
        summary: part.text === '' ? [] : [{ type: 'summary_text', text: part.text }],
        encrypted_content: part.seal.value,
      };
    default:
      return undefined;
  }
}

/**
 * Ids have at most 64 characters:
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 */
function toCall({ id, name, arguments: text }: ToolCallPart, { freeText, calls }: Site): Item {
  const called = { call_id: shortName(id), name };
  if (!freeText.has(name)) return { type: 'function_call', ...called, arguments: text === '' ? '{}' : text };
  calls.add(id);
  return { type: 'custom_tool_call', ...called, input: customInput(text) };
}

function toOutput({ content, isError }: ToolResultPart): unknown {
  const [only] = content;
  const mark = isError === true ? 'Error: ' : '';
  if (content.length === 0) return mark;
  if (content.length === 1 && only?.type === 'text') return mark + only.text;
  const parts = content.map((part) => toContentPart(part, 'user'));
  return mark === '' ? parts : [{ type: 'input_text', text: mark.trim() }, ...parts];
}

function toContentPart(part: MessagePart, role: CanonicalMessage['role']): Item {
  switch (part.type) {
    case 'text':
      return role === 'assistant'
        ? { type: 'output_text', text: part.text, annotations: [] }
        : { type: 'input_text', text: part.text };
    case 'refusal':
      return { type: 'refusal', refusal: part.text };
    case 'image':
      return toImage(part);
    case 'file':
      return toFile(part);
    default:
      throw new GatewayError(400, `Content of the type ${part.type} is not possible with this model.`);
  }
}

function toImage({ source, detail }: ImagePart): Item {
  if (source.kind === 'file-id') return { type: 'input_image', file_id: ownFile(source), detail: detail ?? 'auto' };
  const url = source.kind === 'url' ? source.url : toDataUrl(source);
  return { type: 'input_image', image_url: url, detail: detail ?? 'auto' };
}

function toFile({ source, filename }: FilePart): Item {
  switch (source.kind) {
    case 'url':
      return { type: 'input_file', file_url: source.url, ...(filename !== undefined && { filename }) };
    case 'data':
      return { type: 'input_file', filename: filename ?? 'document', file_data: toDataUrl(source) };
    case 'file-id':
      return { type: 'input_file', file_id: ownFile(source) };
  }
}

/** OpenAI's files are the same for both of its dialects. */
function ownFile({ id, dialect }: { id: string; dialect: string }): string {
  if (dialect === 'openai-responses' || dialect === 'openai-chat') return id;
  throw new GatewayError(400, `The file '${id}' was uploaded to another provider. Send its data or a URL.`);
}
