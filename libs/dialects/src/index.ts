export type {
  AnswerReader,
  AnswerState,
  AttemptOptions,
  PreparedAttempt,
  TranslatedRequest,
  Translation,
  UpstreamError,
  UpstreamRequest,
  UpstreamTarget,
} from './provider-dialect';
export type { AnswerGate } from './canonical/guarded-events';
export { ContinuedAnswer } from './canonical/continued-answer';
export { canGoOn, continuedRequest } from './canonical/continued-request';
export { withoutAttribution } from './anthropic-messages/attribution';
export { withoutSnapshotDay } from './anthropic-messages/read-usage';
export { withSeen } from './canonical/served-terms';
export { readTokenCount, tokenCountAnswer, tokenCountRequest } from './token-count';
export { tokenizerAttempt } from './tokenizer';
export { lastPieces, sealerOf } from './provider-dialect';
export { compacting } from './openai-responses/compaction';
export { SealedElsewhere } from './openai-responses/compacted-item';
export { dialectForTools, hasOnly, toolTypesIn } from './canonical/tools-elsewhere';
export { mediaToRead } from './media/in-words';
export { takesMedia } from './media/media-needs';
export { redact } from './upstream-error/redact';
export { translationFor } from './translations';
export { countTextTokens, loadVocabulary, sampledCharacters } from './tokens/o200k';
export { foldedText } from './tokens/text-tally';
export { isDear } from './wire/dear-body';
export { JsonCursor } from './wire/json-cursor';
