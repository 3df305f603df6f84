import type { ImagePart, MediaSource } from './generation-request';
import { invalid } from './request-fields';

const dataUrl = /^data:([^;,]+)((?:;[^;,]+)*?)(;base64)?,/i;

/**
 * The source that a URL names: a data URL holds it.
 * @throws GatewayError 400 for a data URL that is not base64.
 */
export function fromUrl(url: string, path: string): MediaSource {
  if (!/^data:/i.test(url)) return { kind: 'url', url };
  const head = dataUrl.exec(url);
  if (head?.[3] === undefined) throw invalid(path, 'must be a data URL in base64: data:<type>;base64,<data>');
  return { kind: 'data', mediaType: (head[1] ?? '').toLowerCase(), data: url.slice(head[0].length) };
}

/** The data URL of a source that is here. */
export function toDataUrl({ mediaType, data }: Extract<MediaSource, { kind: 'data' }>): string {
  return `data:${mediaType};base64,${data}`;
}

/**
 * How closely an image is looked at, in the words of chat completions, which do not know that of responses
 * for its own size. https://github.com/openai/openai-openapi (ChatCompletionRequestMessageContentPartImage)
 */
export function chatDetail(detail: ImagePart['detail']): 'auto' | 'low' | 'high' | undefined {
  return detail === 'original' ? 'high' : detail;
}
