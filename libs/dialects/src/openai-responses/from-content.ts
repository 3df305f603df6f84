import type { FilePart, ImagePart, MediaSource, MessagePart } from '../canonical/generation-request';
import { fromUrl } from '../canonical/media-url';
import { invalid, RequestFields } from '../canonical/request-fields';
import { openText } from '../wire/open-text';
import { sealedText } from './agent-messages';

/**
 * Reads content: a string, or parts.
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 */
export function fromContent(fields: RequestFields, name: string, unread: string[]): MessagePart[] {
  const content = fields.raw(name);
  if (content === undefined) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw invalid(fields.path(name), 'must be a string or an array of parts');
  return content.map((part, index) => {
    const nested = RequestFields.of(part, `${fields.path(name)}[${index}]`);
    const read = fromPart(nested, unread);
    nested.finish(unread);
    return read;
  });
}

function fromPart(fields: RequestFields, unread: string[]): MessagePart {
  const type = fields.requiredText('type');
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      // What an answer's text has beside it says nothing to another model.
      fields.ignore('annotations', 'logprobs');
      return { type: 'text', text: fields.requiredText('text') };
    case 'encrypted_content': {
      const text = openText({ type, encrypted_content: fields.raw('encrypted_content') });
      return { type: 'text', text: text ?? sealedText };
    }
    case 'refusal':
      return { type, text: fields.requiredText('refusal') };
    case 'input_image':
      return fromImage(fields);
    case 'input_file':
      return fromFile(fields);
    case 'input_audio':
      return fromAudio(fields, unread);
    default:
      throw invalid(fields.path('type'), `has the value '${type}', which models of other providers cannot read`);
  }
}

/** SDKs send `detail` always: auto is what a model does by itself. */
function fromImage(fields: RequestFields): ImagePart {
  const url = fields.text('image_url');
  const source = url === undefined ? uploaded(fields, 'image_url') : fromUrl(url, fields.path('image_url'));
  const detail = fields.choice('detail', ['auto', 'low', 'high', 'original']);
  return { type: 'image', source, ...(detail !== undefined && detail !== 'auto' && { detail }) };
}

function fromFile(fields: RequestFields): FilePart {
  const filename = fields.text('filename');
  const url = fields.text('file_url');
  const data = fields.text('file_data');
  return { type: 'file', source: fileSource(fields, data, url, filename), ...(filename !== undefined && { filename }) };
}

function fileSource(fields: RequestFields, data?: string, url?: string, filename?: string): MediaSource {
  if (data !== undefined) {
    // Base64 alone is taken too: https://platform.openai.com/docs/guides/pdf-files#base64-encoded-files
    if (!/^data:/i.test(data)) return { kind: 'data', mediaType: mediaTypeOf(filename), data };
    return fromUrl(data, fields.path('file_data'));
  }
  return url === undefined ? uploaded(fields, 'file_data') : fromUrl(url, fields.path('file_url'));
}

function mediaTypeOf(filename = ''): string {
  return /\.(txt|md|csv)$/i.test(filename) ? 'text/plain' : 'application/pdf';
}

function uploaded(fields: RequestFields, missing: string): MediaSource {
  const id = fields.text('file_id');
  if (id === undefined) throw invalid(fields.path(missing), 'or file_id is required');
  return { kind: 'file-id', id, dialect: 'openai-responses' };
}

function fromAudio(fields: RequestFields, unread: string[]): MessagePart {
  const audio = fields.nested('input_audio');
  if (audio === undefined) throw invalid(fields.path('input_audio'), 'is required and must be an object');
  const data = audio.requiredText('data');
  const mediaType = `audio/${audio.requiredText('format')}`;
  audio.finish(unread);
  return { type: 'audio', source: { kind: 'data', mediaType, data } };
}
