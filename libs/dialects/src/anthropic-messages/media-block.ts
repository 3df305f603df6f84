import { fileTokens, imageTokens } from '../tokens/media-tokens';
import { askedTurn, messagesTurnKind, MediaTally, type MediaPart } from '../media/asked-turn';
import { isRecord, recordIn } from '../wire/json-value';

/** Reads an image block or a document that is no plain text; null for any other block. */
export function readMediaBlock(block: Record<string, unknown>): MediaPart | null {
  const source = recordIn(block, 'source');
  const dataCharacters = typeof source.data === 'string' ? source.data.length : 0;
  if (block.type === 'image') return { need: 'images', tokens: imageTokens(undefined), dataCharacters };
  if (block.type !== 'document' || source.type === 'text' || source.type === 'content') return null;
  return { need: 'files', tokens: fileTokens(dataCharacters), dataCharacters };
}

/** What the images and documents of a body come to, and whether the user's new question holds them. */
export function mediaTallyOf(body: Record<string, unknown>): MediaTally {
  const messages: readonly unknown[] = Array.isArray(body.messages) ? body.messages : [];
  const tally = new MediaTally();
  const asked = askedTurn(messages.length, (index) => {
    const { role, content } = recordIn({ message: messages[index] }, 'message');
    return messagesTurnKind(role, () => Array.isArray(content) && content.some(isResult));
  });
  addMedia(body.system, tally, false);
  for (const [index, message] of messages.entries())
    if (isRecord(message)) addMedia(message.content, tally, index === asked);
  return tally;
}

function addMedia(content: unknown, tally: MediaTally, isAsked: boolean): void {
  for (const block of blocksIn(content)) {
    const media = readMediaBlock(block);
    if (media) tally.add(media, isAsked);
  }
}

function isResult(block: unknown): boolean {
  return isRecord(block) && block.type === 'tool_result';
}

/** Every block of these, those inside tool results, documents and search results included, in order. */
function* blocksIn(content: unknown): Generator<Record<string, unknown>> {
  if (!Array.isArray(content)) return;
  for (const block of content as unknown[]) {
    if (!isRecord(block)) continue;
    yield block;
    yield* blocksIn(block.content);
    yield* blocksIn(recordIn(block, 'source').content);
  }
}
