import type { FilePart, ImagePart, MediaSource } from '../canonical/generation-request';
import { invalid } from '../canonical/request-fields';
import type { RequestFields } from '../canonical/request-fields';

/** Reads an `image` block. https://platform.claude.com/docs/en/build-with-claude/vision */
export function fromImage(fields: RequestFields, unread: string[]): ImagePart {
  return { type: 'image', source: readSource(requiredSource(fields), unread) };
}

/**
 * Reads a `document` block whose source is data, a URL or a file.
 * https://platform.claude.com/docs/en/build-with-claude/pdf-support
 */
export function fromDocument(fields: RequestFields, unread: string[]): FilePart {
  const source = readSource(requiredSource(fields), unread);
  const filename = fields.text('title');
  return { type: 'file', source, ...(filename === undefined ? {} : { filename }) };
}

/** The `source` of an image or document block. */
export function requiredSource(fields: RequestFields): RequestFields {
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
