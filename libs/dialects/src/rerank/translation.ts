import { noUsage } from '@tollgate/contracts';
import type { TokenUsage } from '@tollgate/contracts';
import { DocumentReader } from '../canonical/document-reader';
import type { ReadDocument } from '../canonical/document-reader';
import { passedRequest } from '../canonical/passed-request';
import { SniffingReader } from '../canonical/sniffing-reader';
import { readError, readNoAnswer } from '../openai-chat/read-error';
import type { Translation } from '../provider-dialect';
import { isRecord, parseJson, recordIn } from '../wire/json-value';
import { parseRequestJson } from '../wire/request-json';
import { countInputTokens } from './surface';

const ownedFields = ['model', 'query', 'documents', 'top_n'];

/**
 * Reranking at servers that have it beside chat completions: bytes pass, and only the model's name is
 * touched.
 */
export const rerankToOpenaiChat: Translation = {
  surface: 'rerank',
  provider: 'openai-chat',
  prepare: (body, target) => {
    const { name } = target.provider;
    const read = (document: Buffer) => readAnswer(document, name);
    return {
      request: passedRequest('/rerank', body, target, ownedFields),
      answerReader: () => new SniffingReader(name, 'document', () => new DocumentReader(name, read)),
    };
  },
  readError,
  countInputTokens: (body) => countInputTokens(parseRequestJson(body)),
};

/**
 * An answer holds `results`, or is a list of them, as SGLang's is:
 * https://docs.sglang.io/supported_models/rerank_models.html
 */
function readAnswer(document: Buffer, providerName: string): ReadDocument {
  const value = parseJson(document.toString('utf8'));
  const results: unknown = isRecord(value) ? value.results : value;
  if (Array.isArray(results) && results.every((result) => isRecord(result) && typeof result.index === 'number'))
    return { bytes: document, usage: usageOf(value) };
  return { error: readNoAnswer(value, providerName, 'sent an answer without the order of the documents') };
}

/** OpenAI's and Jina's `usage`, or Cohere's `meta`. Null where there is no count of at least one token. */
function usageOf(value: unknown): TokenUsage | null {
  const usage = recordIn(value, 'usage');
  const meta = recordIn(value, 'meta');
  const told = [
    usage.prompt_tokens,
    usage.total_tokens,
    recordIn(meta, 'tokens').input_tokens,
    recordIn(meta, 'billed_units').input_tokens,
  ];
  const input = told.find((count) => typeof count === 'number' && Number.isSafeInteger(count) && count > 0);
  return typeof input === 'number' ? { ...noUsage, input } : null;
}
