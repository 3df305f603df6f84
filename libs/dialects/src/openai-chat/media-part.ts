import { audioTokens, fileTokens, imageTokens } from '../tokens/media-tokens';
import type { MediaPart } from '../media/asked-turn';
import { isRecord, recordIn } from '../wire/json-value';

/**
 * Reads an image_url, input_audio or file part; null for any other part.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
export function readMediaPart(part: unknown): MediaPart | null {
  if (!isRecord(part)) return null;
  if (part.type === 'image_url') {
    const image = isRecord(part.image_url) ? part.image_url : { url: part.image_url };
    return { need: 'images', tokens: imageTokens(image.detail), dataCharacters: lengthOf(image.url) };
  }
  if (part.type === 'input_audio') {
    const characters = lengthOf(recordIn(part, 'input_audio').data);
    return { need: 'audio', tokens: audioTokens(characters), dataCharacters: characters };
  }
  if (part.type === 'file') {
    const characters = lengthOf(recordIn(part, 'file').file_data);
    return { need: 'files', tokens: fileTokens(characters), dataCharacters: characters };
  }
  return null;
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}
