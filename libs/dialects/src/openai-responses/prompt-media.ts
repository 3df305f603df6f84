import { audioTokens, fileTokens, imageTokens } from '../tokens/media-tokens';
import { isRecord, recordIn } from '../wire/json-value';
import { askedTurn, itemTurnKind, MediaTally, type MediaPart } from '../media/asked-turn';

/** Every image, file and recording in a body's input, those in tool results included. */
export function* mediaIn(input: unknown): Generator<MediaPart> {
  for (const item of Array.isArray(input) ? (input as unknown[]) : []) yield* mediaInItem(item);
}

/** What they come to, and whether the user's new question holds them. */
export function mediaTallyOf(input: unknown): MediaTally {
  const items: readonly unknown[] = Array.isArray(input) ? input : [];
  const tally = new MediaTally();
  const asked = askedTurn(items.length, (index) => {
    const { type, role } = recordIn({ item: items[index] }, 'item');
    return itemTurnKind(type, role);
  });
  for (const [index, item] of items.entries()) for (const media of mediaInItem(item)) tally.add(media, index === asked);
  return tally;
}

function* mediaInItem(item: unknown): Generator<MediaPart> {
  if (!isRecord(item)) return;
  for (const parts of [item.content, item.output])
    for (const part of Array.isArray(parts) ? (parts as unknown[]) : []) {
      const media = isRecord(part) ? mediaOf(part) : null;
      if (media) yield media;
    }
}

function mediaOf(part: Record<string, unknown>): MediaPart | null {
  switch (part.type) {
    case 'input_image':
      return { need: 'images', tokens: imageTokens(part.detail), dataCharacters: lengthOf(part.image_url) };
    case 'input_file': {
      const dataCharacters = lengthOf(part.file_data);
      return { need: 'files', tokens: fileTokens(dataCharacters), dataCharacters };
    }
    case 'input_audio': {
      const dataCharacters = lengthOf(recordIn(part, 'input_audio').data);
      return { need: 'audio', tokens: audioTokens(dataCharacters), dataCharacters };
    }
    default:
      return null;
  }
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}
