import { invalid } from '../canonical/request-fields';
import type { AudioPart, FilePart, ImagePart, MediaSource } from '../canonical/generation-request';

type Block = Record<string, unknown>;

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ImageBlock.html */
const imageFormats: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html */
const documentFormats: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
};

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_VideoBlock.html */
const videoFormats: Readonly<Record<string, string>> = {
  'video/x-matroska': 'mkv',
  'video/quicktime': 'mov',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/x-flv': 'flv',
  'video/mpeg': 'mpeg',
  'video/x-ms-wmv': 'wmv',
  'video/3gpp': 'three_gp',
};

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_AudioBlock.html */
const audioFormats: Readonly<Record<string, string>> = {
  'audio/mp3': 'mp3',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/ogg': 'ogg',
  'audio/opus': 'opus',
  'audio/mp4': 'm4a',
  'audio/webm': 'webm',
  'audio/pcm': 'pcm',
};

/** @throws GatewayError 400 for a format that Bedrock does not read. */
export function imageBlock({ source }: ImagePart): Block {
  return { image: { format: formatOf(source, imageFormats, 'image'), source: bytesOf(source) } };
}

/** @throws GatewayError 400 for a format that Bedrock does not read. */
export function audioBlock({ source }: AudioPart): Block {
  return { audio: { format: formatOf(source, audioFormats, 'audio'), source: bytesOf(source) } };
}

/**
 * A document, or a video where the file is one. `number` counts the files of the request from 1.
 * @throws GatewayError 400 for a format that Bedrock does not read.
 */
export function fileBlock({ source, filename }: FilePart, number: number): Block {
  const video = source.kind === 'data' ? videoFormats[mediaType(source.mediaType)] : undefined;
  if (video !== undefined) return { video: { format: video, source: bytesOf(source) } };
  const format = formatOf(source, documentFormats, 'file');
  return { document: { format, name: documentName(filename, number), source: bytesOf(source) } };
}

/**
 * Names may hold letters, digits, single spaces, hyphens, parentheses and square brackets; two documents of
 * one name are told apart by a number.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html#bedrock-Type-runtime_DocumentBlock-name
 */
function documentName(filename: string | undefined, number: number): string {
  const clean = (filename ?? '')
    .replace(/[^a-zA-Z0-9\s()[\]-]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 180);
  return clean === '' ? `document ${number}` : number === 1 ? clean : `${clean} (${number})`;
}

function formatOf(source: MediaSource, formats: Readonly<Record<string, string>>, what: string): string {
  const type = source.kind === 'data' ? mediaType(source.mediaType) : '';
  const format = Object.hasOwn(formats, type) ? formats[type] : undefined;
  if (format === undefined) {
    throw invalid('messages', `holds an ${what} of the type '${type}', which Amazon Bedrock does not read`);
  }
  return format;
}

/** Blobs are base64 text in the JSON of Converse. */
function bytesOf(source: MediaSource): Block {
  return { bytes: source.kind === 'data' ? source.data : '' };
}

/** Without parameters such as a charset. */
function mediaType(type: string): string {
  return type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
