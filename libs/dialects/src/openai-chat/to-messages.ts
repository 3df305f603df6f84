import { GatewayError } from '@tollgate/contracts';
import type {
  CanonicalMessage,
  CanonicalRequest,
  MessagePart,
  ReasoningPart,
  ReasoningSeal,
  AudioPart,
  FilePart,
  ImagePart,
} from '../canonical/generation-request';
import { attachmentsOf, seeBelow } from '../canonical/result-attachments';
import type { UpstreamTarget } from '../provider-dialect';
import { isRecord, parseJson } from '../wire/json-value';
import { idleThoughtsWarning, keptReasoning } from './kept-reasoning';
import { chatDetail, toDataUrl } from '../canonical/media-url';

type Message = Record<string, unknown>;
type ToolResult = Extract<MessagePart, { type: 'tool-result' }>;

/**
 * The conversation as this dialect has it. Images and files in tool results follow in a user message, because
 * tool messages take text only.
 */
export function toMessages(
  { messages, surface }: CanonicalRequest,
  target: UpstreamTarget,
  warnings: string[],
): Message[] {
  const written: Message[] = [];
  let attachments: MessagePart[] = [];
  for (const message of messages) {
    const results = message.parts.filter((part) => part.type === 'tool-result');
    if (results.length === 0) {
      written.push(...attached(attachments));
      attachments = [];
    }
    for (const result of results) {
      written.push(toResult(result));
      attachments.push(...attachmentsOf(result));
    }
    if (isThoughtAlone(message)) {
      const warning = idleThoughtsWarning(target);
      if (!warnings.includes(warning)) warnings.push(warning);
      continue;
    }
    const rest = message.parts.filter((part) => part.type !== 'tool-result');
    if (rest.length > 0 || results.length === 0) {
      // A caller of this dialect chose its word; others get the one that every provider knows.
      const role = message.role === 'developer' && surface !== 'openai-chat' ? 'system' : message.role;
      written.push(toMessage({ ...message, role, parts: rest }, target, warnings));
    }
  }
  return [...written, ...attached(attachments)];
}

/**
 * An answer of which only its thoughts came: a message has content or calls.
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
 */
function isThoughtAlone({ role, parts }: CanonicalMessage): boolean {
  return role === 'assistant' && parts.length > 0 && parts.every(({ type }) => type === 'reasoning');
}

function toMessage(message: CanonicalMessage, target: UpstreamTarget, warnings: string[]): Message {
  const { role, name, parts } = message;
  if (role === 'assistant') return { role, name, ...toAssistant(parts, target, warnings) };
  return { role: role === 'tool' ? 'user' : role, name, content: toContent(parts) };
}

function toResult({ toolCallId, content, isError, cacheControl }: ToolResult): Message {
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const shown = text === '' && content.length > 0 ? seeBelow : text;
  const said = isError === true ? `Error: ${shown}` : shown;
  const written = cacheControl ? [{ type: 'text', text: said, ...cacheMark(cacheControl) }] : said;
  return { role: 'tool', tool_call_id: toolCallId, content: written };
}

function attached(attachments: readonly MessagePart[]): Message[] {
  return attachments.length === 0 ? [] : [{ role: 'user', content: toParts(attachments) }];
}

/**
 * The members of an assistant's message: its text, refusal and calls, and its reasoning where the provider
 * wants it back. Nothing at all is an empty text, as the last turn of a messages request may be:
 * `content` may be null beside calls and a refusal only.
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
 */
function toAssistant(
  parts: readonly MessagePart[],
  target: UpstreamTarget,
  warnings: string[],
): Record<string, unknown> {
  const calls = parts.filter((part) => part.type === 'tool-call');
  const refusals = parts.filter((part) => part.type === 'refusal');
  const said = parts.filter((part) => part.type === 'text');
  const nothing = calls.length > 0 || refusals.length > 0 ? null : '';
  return {
    content: said.length > 0 ? toContent(said) : nothing,
    refusal: refusals.length > 0 ? refusals.map(({ text }) => text).join('') : undefined,
    ...reasoningMembers(
      parts.filter((part) => part.type === 'reasoning'),
      target,
      warnings,
    ),
    tool_calls:
      calls.length === 0
        ? undefined
        : calls.map(({ id, name, arguments: text, signature }) => ({
            id,
            type: 'function',
            function: { name, arguments: text === '' ? '{}' : text },
            ...extraContent(signature, target),
          })),
  };
}

function reasoningMembers(
  thoughts: readonly ReasoningPart[],
  target: UpstreamTarget,
  warnings: string[],
): Record<string, unknown> {
  // What another provider has sealed is no use here; its text is no part of this model's own thinking.
  const own = thoughts.filter(({ seal }) => seal === undefined || seal.dialect === 'openai-chat');
  if (own.length === 0) return {};
  switch (keptReasoning(target).field) {
    case 'reasoning_content':
      return { reasoning_content: own.map(({ text }) => text).join('') };
    case 'reasoning_details':
      return { reasoning_details: own.map(({ text, seal }) => detailOf(text, seal)) };
    case null: {
      const warning = `reasoning of earlier turns was dropped: ${target.provider.name} takes none back`;
      if (!warnings.includes(warning)) warnings.push(warning);
      return {};
    }
  }
}

function detailOf(text: string, seal: ReasoningSeal | undefined): unknown {
  const own = seal && parseJson(seal.value);
  return isRecord(own) ? own : { type: 'reasoning.text', text };
}

/**
 * Google's place for the signature of a call in this dialect:
 * https://ai.google.dev/gemini-api/docs/openai#thought-signatures
 */
function extraContent(signature: ReasoningSeal | undefined, { provider }: UpstreamTarget): Record<string, unknown> {
  const isTaken = signature?.dialect === 'gemini' && provider.quirks.reasoningField === 'reasoning_details';
  return isTaken ? { extra_content: { google: { thought_signature: signature.value } } } : {};
}

/** A message's content: a string for one text that has no mark, parts for everything else. */
function toContent(parts: readonly MessagePart[]): unknown {
  const [only] = parts;
  if (parts.length === 0) return '';
  return parts.length === 1 && only?.type === 'text' && !only.cacheControl ? only.text : toParts(parts);
}

function toParts(parts: readonly MessagePart[]): Record<string, unknown>[] {
  return parts.flatMap((part) => {
    const written = toPart(part);
    return written === null ? [] : [{ ...written, ...cacheMark(part.cacheControl) }];
  });
}

/**
 * The mark behind which a model keeps what it read, for five minutes.
 * https://www.alibabacloud.com/help/en/model-studio/context-cache
 */
function cacheMark(control: MessagePart['cacheControl']): Record<string, unknown> {
  return control === undefined ? {} : { cache_control: { type: 'ephemeral' } };
}

/** Null for what stands beside the content in this dialect. */
function toPart(part: MessagePart): Record<string, unknown> | null {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'refusal':
      return { type: 'refusal', refusal: part.text };
    case 'image':
      return { type: 'image_url', image_url: { url: toUrl(part), detail: chatDetail(part.detail) } };
    case 'audio':
      return { type: 'input_audio', input_audio: toAudio(part) };
    case 'file':
      return { type: 'file', file: toFile(part) };
    default:
      return null;
  }
}

function toUrl({ source }: ImagePart): string {
  if (source.kind === 'file-id') throw foreignFile(source.id);
  return source.kind === 'url' ? source.url : toDataUrl(source);
}

/** The format is the last word of the media type: https://platform.openai.com/docs/guides/audio */
function toAudio({ source }: AudioPart): Record<string, unknown> {
  if (source.kind !== 'data')
    throw new GatewayError(400, 'Audio by URL is not possible with this model: send its data.');
  const format = source.mediaType.replace(/^audio\/(?:x-)?/, '');
  return { data: source.data, format: format === 'mpeg' ? 'mp3' : format };
}

function toFile({ source, filename }: FilePart): Record<string, unknown> {
  if (source.kind === 'url')
    throw new GatewayError(400, 'Files by URL are not possible with this model: send the data.');
  if (source.kind === 'data') return { filename: filename ?? 'document', file_data: toDataUrl(source) };
  if (source.dialect !== 'openai-chat' && source.dialect !== 'openai-responses') throw foreignFile(source.id);
  return { file_id: source.id, filename };
}

function foreignFile(id: string): GatewayError {
  return new GatewayError(400, `The file '${id}' was uploaded to another provider. Send its data.`);
}
