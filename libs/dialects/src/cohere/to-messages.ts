import { toToolInput } from '../canonical/tool-input';
import { chatDetail, toDataUrl } from '../canonical/media-url';
import type {
  CanonicalMessage,
  ImagePart,
  MessagePart,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
} from '../canonical/generation-request';
import { invalid } from '../canonical/request-fields';
import { attachmentsOf, seeBelow } from '../canonical/result-attachments';
import type { UpstreamTarget } from '../provider-dialect';
import { isRecord, parseJson } from '../wire/json-value';

type Message = Record<string, unknown>;
type Warn = (warning: string) => void;

/**
 * Each result of a tool is a message of its own, which takes text only: its images follow in a user message
 * behind the results, for which Cohere documents no place. Messages that hold nothing are left out, because
 * Cohere refuses them. https://docs.cohere.com/reference/chat @throws GatewayError 400 for other media where
 * Cohere takes text.
 */
export function toMessages(messages: readonly CanonicalMessage[], target: UpstreamTarget, warn: Warn): Message[] {
  const written: Message[] = [];
  const images: MessagePart[] = [];
  for (const message of messages) {
    const mapped = toMessage(message, target);
    if (!message.parts.some(({ type }) => type === 'tool-result'))
      written.push(...withContent('user', images.splice(0)));
    const isBare = mapped.length === 0 && !message.parts.some(({ type }) => type === 'reasoning');
    if (isBare) warn('a message without content was left out: Cohere refuses it');
    written.push(...mapped);
    for (const part of message.parts) if (part.type === 'tool-result') images.push(...attachmentsOf(part));
  }
  written.push(...withContent('user', images));
  if (written.length === 0) throw invalid('messages', 'hold nothing that could be answered');
  return written;
}

function toMessage({ role, parts }: CanonicalMessage, target: UpstreamTarget): Message[] {
  switch (role) {
    case 'system':
    case 'developer':
      return withContent('system', parts);
    case 'user':
      return withContent('user', parts);
    case 'assistant':
      return toAssistant(parts, target.model.capabilities.reasoning);
    case 'tool':
      return parts.flatMap((part) => (part.type === 'tool-result' ? [toResult(part)] : withContent('user', [part])));
  }
}

function withContent(role: 'system' | 'user', parts: readonly MessagePart[]): Message[] {
  const content = parts.flatMap((part) => contentOf(part, role));
  return content.length === 0 ? [] : [{ role, content: plain(content) }];
}

/** Text and images: https://docs.cohere.com/docs/image-inputs */
function contentOf(part: MessagePart, role: string): Message[] {
  if (part.type === 'text' || part.type === 'refusal')
    return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  if (part.type === 'image' && role === 'user') return [imageOf(part)];
  throw invalid(
    'messages',
    `holds a message of the role ${role} with a part of the type ${part.type}, which Cohere does not take`,
  );
}

function imageOf({ source, detail }: ImagePart): Message {
  if (source.kind === 'file-id') throw invalid('messages', 'holds a file by its id; Cohere keeps no uploaded files');
  const url = source.kind === 'data' ? toDataUrl(source) : source.url;
  return { type: 'image_url', image_url: { url, ...(detail && { detail: chatDetail(detail) }) } };
}

/**
 * Models that reason have their thoughts in the content (https://docs.cohere.com/docs/reasoning), the others
 * write a plan before they call tools (https://docs.cohere.com/docs/tool-use-overview); a plan without calls
 * has no place.
 */
function toAssistant(parts: readonly MessagePart[], reasons: boolean): Message[] {
  const calls = parts.filter((part) => part.type === 'tool-call').map(toCall);
  // What another provider has sealed is no use here.
  const thoughts = parts.filter((part) => part.type === 'reasoning').filter(isOpenThought);
  const said = parts.filter((part) => part.type === 'text' || part.type === 'refusal');
  const others = parts.find((part) => part.type === 'image' || part.type === 'file' || part.type === 'audio');
  const content = [
    ...(reasons ? thoughts.map(({ text }) => ({ type: 'thinking', thinking: text })) : []),
    ...[...said, ...(others ? [others] : [])].flatMap((part) => contentOf(part, 'assistant')),
  ];
  if (content.length === 0 && calls.length === 0) return [];
  const plan = reasons ? '' : thoughts.map(({ text }) => text).join('');
  return [
    {
      role: 'assistant',
      ...(content.length > 0 && { content: plain(content) }),
      ...(calls.length > 0 && plan !== '' && { tool_plan: plan }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

function isOpenThought({ text, seal }: ReasoningPart): boolean {
  return text !== '' && seal === undefined;
}

/** Arguments that are no JSON object, as of an answer that was cut off, are refused. */
function toCall({ id, name, arguments: text }: ToolCallPart): Message {
  const input = isRecord(parseJson(text)) ? text : JSON.stringify(toToolInput(text));
  return { id, type: 'function', function: { name, arguments: input } };
}

/**
 * A failure is told in the words of the result: Cohere reads JSON objects there and has no mark for it.
 * https://docs.cohere.com/docs/tool-use-overview
 */
function toResult({ toolCallId, content, isError }: ToolResultPart): Message {
  const said = content.filter((part) => part.type !== 'image');
  const texts = said.map((part) => {
    if (part.type !== 'text')
      throw invalid('messages', 'holds a tool result that is no text, which Cohere does not take');
    return part.text;
  });
  if (texts.length === 0 && content.length > 0) texts.push(seeBelow);
  const told = isError === true ? [JSON.stringify({ error: texts.join('\n') })] : texts;
  return { role: 'tool', tool_call_id: toolCallId, content: plain(told.map((text) => ({ type: 'text', text }))) };
}

/** One text stands for itself. */
function plain(content: readonly Message[]): unknown {
  const [only] = content;
  if (only === undefined) return '';
  return content.length === 1 && only.type === 'text' ? only.text : content;
}
