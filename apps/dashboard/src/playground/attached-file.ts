import type { ListedModel } from '../api/catalog';

const largestBytes = 8_000_000;

/** A document or a sound of a question. `url`: a data URL. */
export interface AttachedFile {
  name: string;
  url: string;
}

const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
/** What chat completions call the sounds that they take, by what browsers call them. */
const soundFormats = new Map([
  ...['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave'].map((type) => [type, 'wav'] as const),
  ...['audio/mpeg', 'audio/mp3'].map((type) => [type, 'mp3'] as const),
]);

/** Which files may be attached, as a file input says it: images, and what every one of the models takes. */
export function acceptedBy(models: readonly Pick<ListedModel, 'inputModalities'>[]): string[] {
  const takeAll = (kind: string) =>
    models.length > 0 && models.every(({ inputModalities }) => inputModalities.includes(kind));
  return [
    ...imageTypes,
    ...(takeAll('pdf') ? ['application/pdf'] : []),
    ...(takeAll('audio') ? [...soundFormats.keys()] : []),
  ];
}

export const isImage = (url: string): boolean => url.startsWith('data:image/');

/**
 * A part of a message of chat completions:
 * https://platform.openai.com/docs/api-reference/chat/create
 */
export function partOf({ name, url }: AttachedFile): Record<string, unknown> {
  const [head = '', data = ''] = url.split(',');
  const format = soundFormats.get(head.slice('data:'.length).split(';')[0] ?? '');
  return format === undefined
    ? { type: 'file', file: { filename: name, file_data: url } }
    : { type: 'input_audio', input_audio: { data, format } };
}

/** @throws Error with words for a person, when the file is of no type that is taken, or too large. */
export async function toDataUrl(file: File, types: readonly string[]): Promise<string> {
  if (!types.includes(file.type)) throw new Error(`${file.name} is no file that every model here takes.`);
  if (file.size > largestBytes) throw new Error(`${file.name} is larger than 8 MB. Please choose a smaller file.`);
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`));
    reader.readAsDataURL(file);
  });
}
