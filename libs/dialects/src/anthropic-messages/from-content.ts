import { readCarried } from '../canonical/carried-seal';
import type {
  MessagePart,
  TextPart,
  ToolResultPart,
  FilePart,
  ImagePart,
  MediaSource,
} from '../canonical/generation-request';
import { invalid, RequestFields } from '../canonical/request-fields';
import { isRecord, recordIn } from '../wire/json-value';
import { readCacheControl } from './cache-control';

/**
 * Reads a message's content, which is a string or an array of blocks.
 * @throws GatewayError 400 naming a block that no other provider can take.
 */
export function fromContent(content: unknown, at: string, unread: string[]): MessagePart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw invalid(at, 'is required and must be a string or an array');
  return content.flatMap((block, i) => fromBlock(block, `${at}[${i}]`, unread));
}

/**
 * Reads one block; a document of blocks or of text and a search result are told as their texts and images,
 * which every model can read.
 */
export function fromBlock(block: unknown, at: string, unread: string[]): MessagePart[] {
  const fields = RequestFields.of(block, at);
  const parts = partsOf(fields, unread);
  const control = readCacheControl(fields, unread);
  fields.finish(unread);
  const last = parts.at(-1);
  if (last !== undefined && control.cacheControl !== undefined) last.cacheControl = control.cacheControl;
  return parts;
}

function partsOf(fields: RequestFields, unread: string[]): MessagePart[] {
  const type = fields.requiredText('type');
  switch (type) {
    case 'text':
      // The sources of an answer, which clients send back with it.
      fields.ignore('citations');
      return [{ type: 'text', text: fields.requiredText('text') }];
    case 'image':
      return [fromImage(fields, unread)];
    case 'document':
      tellCitations(fields, unread);
      return documentParts(fields, unread);
    case 'search_result':
      tellCitations(fields, unread);
      return [searchResult(fields, unread)];
    case 'thinking':
      return [thinking(fields)];
    case 'redacted_thinking':
      return [redactedThinking(fields)];
    case 'tool_use':
      return [toolUse(fields)];
    case 'tool_reference':
      return [toolReference(fields)];
    case 'compaction':
      return compaction(fields);
    case 'fallback':
      // It says only where the words of one model of Anthropic's end and those of another begin.
      // https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback
      fields.ignore('from', 'to', 'trigger');
      return [];
    case 'tool_result':
      return [fromToolResult(fields, toolResultContent(fields, unread))];
    default:
      throw invalid(fields.path('type'), `has the value '${type}', which only Anthropic's own models understand`);
  }
}

/** Nothing is lost where a document is not to be cited. */
function tellCitations(fields: RequestFields, unread: string[]): void {
  const wish = fields.raw('citations');
  if (wish !== undefined && recordIn({ wish }, 'wish').enabled !== false) unread.push(fields.path('citations'));
}

function documentParts(fields: RequestFields, unread: string[]): MessagePart[] {
  const source = requiredSource(fields);
  if (source.raw('type') === 'text') return [textOf(fields, source, unread)];
  if (source.raw('type') !== 'content') return [fromDocument(fields, unread)];
  return fromContent(source.raw('content'), source.path('content'), unread);
}

/**
 * A document of plain text is one: most models take files of PDF alone, or none.
 * https://github.com/danny-avila/LibreChat/issues/16054
 */
function textOf(fields: RequestFields, source: RequestFields, unread: string[]): TextPart {
  source.ignore('type', 'media_type');
  const head = [fields.text('title'), fields.text('context')].filter((line) => line !== undefined);
  const text = [...head, source.requiredText('data')].join('\n');
  source.finish(unread);
  return { type: 'text', text };
}

function toolResultContent(fields: RequestFields, unread: string[]): MessagePart[] {
  const content = fields.raw('content');
  return content === undefined ? [] : fromContent(content, fields.path('content'), unread);
}

/** https://platform.claude.com/docs/en/build-with-claude/search-results */
function searchResult(fields: RequestFields, unread: string[]): TextPart {
  const head = `${fields.requiredText('title')} (${fields.requiredText('source')})`;
  const texts = fromContent(fields.raw('content'), fields.path('content'), unread).map((part) =>
    part.type === 'text' ? part.text : '',
  );
  return { type: 'text', text: [head, ...texts].join('\n') };
}

/**
 * What a search of the caller's for tools found: other models have been shown all of them from the beginning.
 * Claude Code sends it where ENABLE_TOOL_SEARCH is set.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool
 */
function toolReference(fields: RequestFields): TextPart {
  return { type: 'text', text: `The tool ${fields.requiredText('tool_name')} can be called now.` };
}

/**
 * A summary of all that was said before it, in words that every model can read; none where it failed.
 * https://platform.claude.com/docs/en/build-with-claude/compaction
 */
function compaction(fields: RequestFields): TextPart[] {
  const summary = fields.text('content') ?? '';
  fields.ignore('encrypted_content', 'signature');
  return summary === '' ? [] : [{ type: 'text', text: summary }];
}

/** A block without a signature came from a model that makes none. */
function thinking(fields: RequestFields): MessagePart {
  const text = fields.requiredText('thinking');
  const signature = fields.text('signature') ?? '';
  if (signature === '') return { type: 'reasoning', text };
  const { toolCallId: _, ...sealed } = readCarried(signature, 'anthropic-messages', 'signature');
  return { type: 'reasoning', text, ...sealed };
}

function redactedThinking(fields: RequestFields): MessagePart {
  const { toolCallId: _, ...sealed } = readCarried(fields.requiredText('data'), 'anthropic-messages', 'redacted');
  return { type: 'reasoning', text: '', ...sealed };
}

function toolUse(fields: RequestFields): MessagePart {
  const input = fields.raw('input');
  if (input !== undefined && !isRecord(input)) throw invalid(fields.path('input'), 'must be an object');
  const caller = fields.raw('caller');
  // `direct` says that the model itself called, which is the only way there is elsewhere.
  if (isRecord(caller) && caller.type !== 'direct')
    throw invalid(fields.path('caller'), "names a caller that only Anthropic's own models have");
  return {
    type: 'tool-call',
    id: fields.requiredText('id'),
    name: fields.requiredText('name'),
    arguments: JSON.stringify(input ?? {}),
  };
}

/**
 * Reads a `tool_result` block whose content is `parts`. A cache breakpoint on one of its blocks becomes the
 * result's own, which ends the same prefix or a slightly longer one.
 */
function fromToolResult(fields: RequestFields, parts: readonly MessagePart[]): MessagePart {
  const isError = fields.boolean('is_error');
  const control = parts.findLast((part) => part.cacheControl !== undefined)?.cacheControl;
  return {
    type: 'tool-result',
    toolCallId: fields.requiredText('tool_use_id'),
    content: parts.map((part) => resultPart(part, fields)),
    ...(isError === undefined ? {} : { isError }),
    ...(control === undefined ? {} : { cacheControl: control }),
  };
}

function resultPart(part: MessagePart, fields: RequestFields): ToolResultPart['content'][number] {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image', source: part.source };
    case 'file':
      return { type: 'file', source: part.source, ...(part.filename === undefined ? {} : { filename: part.filename }) };
    default:
      throw invalid(fields.path('content'), 'may hold text, images, documents and search results only');
  }
}

/** Reads an `image` block. https://platform.claude.com/docs/en/build-with-claude/vision */
function fromImage(fields: RequestFields, unread: string[]): ImagePart {
  return { type: 'image', source: readSource(requiredSource(fields), unread) };
}

/**
 * Reads a `document` block whose source is data, a URL or a file.
 * https://platform.claude.com/docs/en/build-with-claude/pdf-support
 */
function fromDocument(fields: RequestFields, unread: string[]): FilePart {
  const source = readSource(requiredSource(fields), unread);
  const filename = fields.text('title');
  return { type: 'file', source, ...(filename === undefined ? {} : { filename }) };
}

/** The `source` of an image or document block. */
function requiredSource(fields: RequestFields): RequestFields {
  const source = fields.nested('source');
  if (source === undefined) throw invalid(fields.path('source'), 'is required and must be an object');
  return source;
}

function readSource(source: RequestFields, unread: string[]): MediaSource {
  const read = sourceOf(source);
  source.finish(unread);
  return read;
}

function sourceOf(source: RequestFields): MediaSource {
  const type = source.requiredText('type');
  switch (type) {
    case 'base64':
      return { kind: 'data', mediaType: source.requiredText('media_type'), data: source.requiredText('data') };
    case 'url':
      return { kind: 'url', url: source.requiredText('url') };
    case 'file':
      return { kind: 'file-id', id: source.requiredText('file_id'), dialect: 'anthropic-messages' };
    default:
      throw invalid(source.path('type'), `has the value '${type}', which no model of another provider can read`);
  }
}
