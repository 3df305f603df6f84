import { GatewayError } from '@tollgate/contracts';
import type { AudioPart, FilePart, ImagePart, MessagePart } from '../canonical/generation-request';
import { chatDetail, toDataUrl } from '../canonical/media-url';

/** A message's content: a string for one text that has no mark, parts for everything else. */
export function toContent(parts: readonly MessagePart[]): unknown {
  const [only] = parts;
  if (parts.length === 0) return '';
  return parts.length === 1 && only?.type === 'text' && !only.cacheControl ? only.text : toParts(parts);
}

export function toParts(parts: readonly MessagePart[]): Record<string, unknown>[] {
  return parts.flatMap((part) => {
    const written = toPart(part);
    return written === null ? [] : [{ ...written, ...cacheMark(part.cacheControl) }];
  });
}

/**
 * The mark behind which a model keeps what it read, for five minutes.
 * https://www.alibabacloud.com/help/en/model-studio/context-cache
 */
export function cacheMark(control: MessagePart['cacheControl']): Record<string, unknown> {
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
