import { fileTokens, imageTokens } from '../tokens/media-tokens';
import { isRecord, recordIn } from '../wire/json-value';

/**
 * An image or document in a caller's body: its estimated tokens, and how many characters of the body its data
 * take up.
 */
interface MediaBlock {
  kind: 'image' | 'file';
  tokens: number;
  dataCharacters: number;
}

/** Reads an image block or a document that is no plain text; null for any other block. */
export function readMediaBlock(block: Record<string, unknown>): MediaBlock | null {
  const source = recordIn(block, 'source');
  const dataCharacters = typeof source.data === 'string' ? source.data.length : 0;
  if (block.type === 'image') return { kind: 'image', tokens: imageTokens(undefined), dataCharacters };
  if (block.type !== 'document' || source.type === 'text' || source.type === 'content') return null;
  return { kind: 'file', tokens: fileTokens(dataCharacters), dataCharacters };
}

/**
 * Every block of a body's system prompt and messages, those inside tool results, documents and search results
 * included, in order.
 */
export function* blocksOf(body: Record<string, unknown>): Generator<Record<string, unknown>> {
  yield* blocksIn(body.system);
  if (!Array.isArray(body.messages)) return;
  for (const message of body.messages as unknown[]) if (isRecord(message)) yield* blocksIn(message.content);
}

function* blocksIn(content: unknown): Generator<Record<string, unknown>> {
  if (!Array.isArray(content)) return;
  for (const block of content as unknown[]) {
    if (!isRecord(block)) continue;
    yield block;
    yield* blocksIn(block.content);
    yield* blocksIn(recordIn(block, 'source').content);
  }
}
