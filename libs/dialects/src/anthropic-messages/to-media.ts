import type { FilePart, ImagePart, MediaSource } from '../canonical/generation-request';
import { GatewayError } from '@tollgate/contracts';

/** An `image` block. https://platform.claude.com/docs/en/build-with-claude/vision */
export function toImage({ source }: ImagePart): Record<string, unknown> {
  return { type: 'image', source: toSource(source) };
}

/**
 * A `document` block.
 * @throws GatewayError 400 for data that is neither PDF nor text.
 * https://platform.claude.com/docs/en/build-with-claude/pdf-support
 */
export function toDocument({ source, filename }: FilePart): Record<string, unknown> {
  return { type: 'document', source: documentSource(source), ...(filename === undefined ? {} : { title: filename }) };
}

function documentSource(source: MediaSource): Record<string, unknown> {
  if (source.kind !== 'data' || source.mediaType === 'application/pdf') return toSource(source);
  if (!/^(?:text\/|application\/json\b)/.test(source.mediaType)) {
    throw new GatewayError(
      400,
      `A file of type '${source.mediaType}' is not possible: this model takes PDF and text. Send its text instead.`,
    );
  }
  return { type: 'text', media_type: 'text/plain', data: Buffer.from(source.data, 'base64').toString('utf8') };
}

function toSource(source: MediaSource): Record<string, unknown> {
  switch (source.kind) {
    case 'data':
      return { type: 'base64', media_type: source.mediaType, data: source.data };
    case 'url':
      return { type: 'url', url: source.url };
    case 'file-id':
      if (source.dialect !== 'anthropic-messages')
        throw new GatewayError(
          400,
          `The file '${source.id}' was uploaded to another provider. Send its data or a URL.`,
        );
      return { type: 'file', file_id: source.id };
  }
}
