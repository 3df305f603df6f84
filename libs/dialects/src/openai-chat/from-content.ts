import type { AudioPart, FilePart, ImagePart, MediaSource, MessagePart } from '../canonical/generation-request';
import { fromUrl } from '../canonical/media-url';
import { invalid, RequestFields } from '../canonical/request-fields';
import { thoughtsIn } from './thoughts-apart';

/** Reads a message's `content`: a string, or parts. Null and absent content have no parts. */
export function fromContent(fields: RequestFields, unread: string[]): MessagePart[] {
  const content = fields.raw('content');
  if (content === undefined) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw invalid(fields.path('content'), 'must be a string or an array of parts');
  return content.map((part, index) => fromPart(RequestFields.of(part, `${fields.path('content')}[${index}]`), unread));
}

function fromPart(fields: RequestFields, unread: string[]): MessagePart {
  const part = readPart(fields, unread);
  const cacheControl = readCacheControl(fields, unread);
  fields.finish(unread);
  return cacheControl === undefined ? part : { ...part, cacheControl };
}

function readPart(fields: RequestFields, unread: string[]): MessagePart {
  const type = fields.requiredText('type');
  switch (type) {
    case 'text':
      return { type, text: fields.requiredText('text') };
    case 'refusal':
      return { type, text: fields.requiredText('refusal') };
    case 'image_url':
      return fromImage(fields, unread);
    case 'input_audio':
      return fromAudio(member(fields, 'input_audio'), unread);
    case 'file':
      return fromFile(member(fields, 'file'), unread);
    case 'thinking':
      fields.ignore('closed', 'signature');
      return { type: 'reasoning', text: thoughtsIn(fields.raw('thinking')) };
    default:
      throw invalid(fields.path('type'), `has the value '${type}', which models of other providers cannot read`);
  }
}

/** Some clients send the URL itself in place of the object. */
function fromImage(fields: RequestFields, unread: string[]): ImagePart {
  const image = fields.raw('image_url');
  if (typeof image === 'string') return { type: 'image', source: fromUrl(image, fields.path('image_url')) };
  const nested = member(fields, 'image_url');
  const source = fromUrl(nested.requiredText('url'), nested.path('url'));
  const detail = nested.choice('detail', ['auto', 'low', 'high', 'original']);
  nested.finish(unread);
  return { type: 'image', source, ...(detail !== undefined && { detail }) };
}

function fromAudio(fields: RequestFields, unread: string[]): AudioPart {
  const data = fields.requiredText('data');
  const format = fields.requiredText('format');
  fields.finish(unread);
  return { type: 'audio', source: { kind: 'data', mediaType: `audio/${format}`, data } };
}

function fromFile(fields: RequestFields, unread: string[]): FilePart {
  const id = fields.text('file_id');
  const data = fields.text('file_data');
  const filename = fields.text('filename');
  fields.finish(unread);
  if (id === undefined && data === undefined) throw invalid(fields.path('file_data'), 'or file_id is required');
  const source: MediaSource =
    data === undefined
      ? { kind: 'file-id', id: id ?? '', dialect: 'openai-chat' }
      : fromUrl(data, fields.path('file_data'));
  return { type: 'file', source, ...(filename !== undefined && { filename }) };
}

/**
 * OpenRouter and others take Anthropic's marks on messages, parts and calls:
 * https://openrouter.ai/docs/features/prompt-caching
 */
export function readCacheControl(fields: RequestFields, unread: string[]): MessagePart['cacheControl'] {
  const control = fields.nested('cache_control');
  if (control === undefined) return undefined;
  control.ignore('type');
  const ttl = control.choice('ttl', ['5m', '1h']);
  control.finish(unread);
  return ttl === undefined ? {} : { ttl };
}

function member(fields: RequestFields, name: string): RequestFields {
  const nested = fields.nested(name);
  if (nested === undefined) throw invalid(fields.path(name), 'is required and must be an object');
  return nested;
}
