export type {
  AnswerReader,
  AnswerState,
  Translation,
  UpstreamError,
  UpstreamRequest,
  UpstreamTarget,
} from './provider-dialect';
export { translationFor } from './translations';
export { countTextTokens } from './tokens/o200k';
