export type {
  AnswerReader,
  AnswerState,
  Translation,
  UpstreamError,
  UpstreamRequest,
  UpstreamTarget,
} from './provider-dialect';
