import { longestDataHead } from '../wire/request-texts';
import type { ImagePart, MediaSource } from './generation-request';
import { invalid } from './request-fields';

/** How the data of images begins, in Base64, whatever they are said to be. */
const beginnings: readonly [type: string, beginning: RegExp][] = [
  ['image/png', /^iVBORw0KGgo/],
  ['image/jpeg', /^\/9j\//],
  ['image/gif', /^R0lGOD/],
  ['image/webp', /^UklGR.{7}RUJQ/],
];

const dataUrl = /^data:([^;,]+)((?:;[^;,]+)*?)(;base64)?,/i;

/**
 * The source that a URL names: a data URL holds it.
 * @throws GatewayError 400 for a data URL that is not base64.
 */
export function fromUrl(url: string, path: string): MediaSource {
  if (!/^data:/i.test(url)) return { kind: 'url', url };
  const head = dataUrl.exec(url.slice(0, longestDataHead));
  if (head?.[3] === undefined) throw invalid(path, 'must be a data URL in base64: data:<type>;base64,<data>');
  const data = url.slice(head[0].length);
  return { kind: 'data', mediaType: typeOf(data, (head[1] ?? '').toLowerCase()), data };
}

/**
 * The type of an image is that of its data: OpenAI does not look at what it is said to be, and Claude refuses
 * what is said wrong. https://github.com/home-assistant/core/issues/167208
 * https://github.com/NousResearch/hermes-agent/issues/55432
 */
function typeOf(data: string, told: string): string {
  const seen = beginnings.find(([, beginning]) => beginning.test(data));
  if (seen) return seen[0];
  return told === 'image/jpg' ? 'image/jpeg' : told;
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
