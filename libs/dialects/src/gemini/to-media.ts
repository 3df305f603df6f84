import type { AudioPart, FilePart, ImagePart, MediaSource } from '../canonical/generation-request';
import { invalid } from '../canonical/request-fields';

type Warn = (warning: string) => void;

/**
 * Types by the ending of an address: Gemini wants to be told.
 * https://ai.google.dev/gemini-api/docs/file-input-methods
 */
const typeByEnding: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  gif: 'image/gif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  json: 'application/json',
  xml: 'text/xml',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  aac: 'audio/aac',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
};

/**
 * A part with media: in the request, or at an address that Google fetches.
 * @throws GatewayError 400 for a file that Gemini cannot reach.
 */
export function mediaPart(part: ImagePart | FilePart | AudioPart, warn: Warn): Record<string, unknown> {
  if (part.type === 'file' && part.filename !== undefined)
    warn('the name of a file was dropped: Gemini has no field for it');
  const { source } = part;
  switch (source.kind) {
    case 'data':
      return { inlineData: { mimeType: source.mediaType, data: source.data } };
    case 'url':
      refuseOurOwn(source.url);
      return { fileData: { mimeType: typeAt(source, part.type, warn), fileUri: source.url } };
    case 'file-id':
      throw invalid('messages', 'holds a file that was uploaded to another provider, which Gemini cannot read');
  }
}

/**
 * Google would read files of our own account for a caller: those uploaded with our key, and those of our
 * buckets (gs:).
 */
function refuseOurOwn(url: string): void {
  if (/^https?:\/\//i.test(url) && !/^https?:\/\/[^/]*generativelanguage\.googleapis\.com/i.test(url)) return;
  throw invalid('messages', 'holds a file whose address is not one of the public web (http or https)');
}

function typeAt(
  { url, mediaType }: Extract<MediaSource, { kind: 'url' }>,
  kind: 'image' | 'file' | 'audio',
  warn: Warn,
): string {
  if (mediaType !== undefined) return mediaType;
  const ending = /\.([a-z0-9]+)(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase() ?? '';
  const known = Object.hasOwn(typeByEnding, ending) ? typeByEnding[ending] : undefined;
  if (known !== undefined) return known;
  const guess = { image: 'image/jpeg', file: 'application/pdf', audio: 'audio/mp3' }[kind];
  warn(`the type of ${url.slice(0, 80)} was taken for ${guess}: Gemini must know it, and the address does not tell`);
  return guess;
}
