import { RequestFields, invalid } from '../canonical/request-fields';
import { openaiChatSurface } from '../openai-chat/surface';
import type { SurfaceDialect, SurfaceRequest } from '../surface-dialect';
import { countTextTokens } from '../tokens/o200k';
import { isRecord } from '../wire/json-value';

/** https://docs.cohere.com/reference/rerank recommends no more in one request. */
const mostDocuments = 1_000;

/**
 * The order in which documents fit a question, as Cohere and Jina ask for it and servers of one's own answer;
 * errors are those of chat completions, nothing streams.
 * https://docs.cohere.com/v1/reference/rerank
 * https://docs.vllm.ai/en/latest/serving/openai_compatible_server/#re-rank-api
 */
export const rerankSurface: SurfaceDialect = {
  ...openaiChatSurface,
  name: 'rerank',
  path: '/v1/rerank',
  inOwnForm: (body) => body,
  readRequest,
  countInputTokens,
  keepsState: () => false,
};

function readRequest(body: unknown, bodyBytes: number): SurfaceRequest {
  const fields = RequestFields.of(body, '');
  const model = fields.text('model') ?? '';
  if (model === '') throw invalid('model', 'is required and must be a non-empty string');
  if (fields.requiredText('query') === '') throw invalid('query', 'must not be empty');
  const documents = fields.list('documents') ?? [];
  if (documents.length === 0 || documents.length > mostDocuments)
    throw invalid('documents', `is required and must hold 1 to ${mostDocuments} documents`);
  const wrong = documents.findIndex((document) => typeof document !== 'string' && !isRecord(document));
  if (wrong >= 0) throw invalid(`documents[${wrong}]`, 'must be a string or an object');
  const most = fields.integer('top_n');
  if (most !== undefined && most < 1) throw invalid('top_n', 'must be a positive integer');
  return {
    model,
    stream: false,
    includeUsage: false,
    maxOutputTokens: 0,
    // A model reads the question again with each document. No tokenizer makes more tokens of a text than it
    // has bytes.
    inputTokensEstimate: bodyBytes + Buffer.byteLength(String(fields.raw('query'))) * (documents.length - 1),
    mediaTokens: 0,
    needs: [],
  };
}

/**
 * Input tokens by tokenizer: each document, and the question once for each of them. 0 for a body without
 * documents.
 */
export function countInputTokens(body: unknown): number {
  if (!isRecord(body) || !Array.isArray(body.documents)) return 0;
  const perDocument = textTokens(body.query);
  return body.documents.reduce((sum: number, document: unknown) => sum + perDocument + textTokens(document), 0);
}

function textTokens(value: unknown): number {
  if (typeof value === 'string') return countTextTokens(value);
  return isRecord(value) ? Object.values(value).reduce((sum: number, field) => sum + textTokens(field), 0) : 0;
}
