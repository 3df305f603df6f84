import { anthropicMessagesSurface } from './anthropic-messages/surface';
import { openaiChatSurface } from './openai-chat/surface';
import { openaiCompletionsSurface } from './openai-completions/surface';
import { openaiEmbeddingsSurface } from './openai-embeddings/surface';
import { openaiResponsesSurface } from './openai-responses/surface';
import { rerankSurface } from './rerank/surface';
import type { SurfaceDialect } from './surface-dialect';

export { anthropicMessagesSurface, countTokensRequest } from './anthropic-messages/surface';
export { isClaude, lineOf, takenThinking } from './anthropic-messages/model-facts';
export { openaiResponsesSurface } from './openai-responses/surface';
export { openaiChatSurface } from './openai-chat/surface';
export { textRunsOf, withTexts, type TextRun } from './wire/request-texts';
export { GatheredStream } from './canonical/gathered-stream';
export { isRecord, parseJson } from './wire/json-value';
export { maxEventBytes } from './wire/answer-limits';
export { inJson, membersOf, splicedPieces, valueOf } from './wire/splice-object';
export { SseSplitter, type SseEvent } from './wire/sse-splitter';
export { countBySample } from './tokens/o200k';
export { isDear } from './wire/dear-body';
export { holdsMoreValues, parseRequestJson, repeatsNames } from './wire/request-json';
export { tokensPerByte } from './tokens/text-density';
export { asItems, composedPieces, inputAt, insideOf, joinedPieces } from './openai-responses/kept-conversation';
export {
  eachPlace,
  itemPlaces,
  memberPlace,
  memberPlaces,
  objectPlaces,
  piecesWith,
  referencePlaces,
} from './openai-responses/kept-places';
export type { Places } from './openai-responses/kept-places';
export { waitingResponse, warmedEvents } from './openai-responses/waiting-response';
export { takesMedia, tokensOfWords, unmetNeed } from './media/media-needs';
export { costMembers } from './canonical/cost-event';
export type { ToldCost } from './canonical/cost-event';
export type {
  GatheredAnswer,
  MediaNeed,
  Need,
  RequestMedia,
  StateWish,
  SurfaceDialect,
  SurfaceRequest,
  Transcript,
} from './surface-dialect';

/** Every dialect that callers may speak. */
export const surfaces: readonly SurfaceDialect[] = [
  openaiChatSurface,
  anthropicMessagesSurface,
  openaiResponsesSurface,
  openaiEmbeddingsSurface,
  openaiCompletionsSurface,
  rerankSurface,
];

/**
 * The dialect of whoever calls this address, which may lie below a surface's own; null for an address of the
 * gateway itself.
 */
export function surfaceAt(path: string): SurfaceDialect | null {
  return surfaces.find((surface) => path === surface.path || path.startsWith(`${surface.path}/`)) ?? null;
}
