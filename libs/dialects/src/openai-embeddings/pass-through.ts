import type { PreparedAttempt, Translation, UpstreamTarget } from '../provider-dialect';
import { DocumentReader } from '../canonical/document-reader';
import { passedRequest } from '../canonical/passed-request';
import { SniffingReader } from '../canonical/sniffing-reader';
import { readError } from '../openai-chat/read-error';
import { parseRequestJson } from '../wire/request-json';
import { countInputTokens } from './count-input-tokens';
import { fromRequest } from './from-request';
import { readPassingAnswer } from './passing-answer';

/** Fields that the gateway reads: of duplicates only the last one is sent, which is the one that was validated. */
const ownedFields = ['model', 'input', 'encoding_format', 'dimensions', 'user'];

/** Embeddings of providers that speak chat completions, which have OpenAI's embeddings beside them: bytes pass, and only the model's name is touched. */
export const openaiEmbeddingsToOpenaiChat: Translation = {
  surface: 'openai-embeddings',
  provider: 'openai-chat',
  prepare,
  readError,
  countInputTokens: (body) => countInputTokens(parseRequestJson(body)),
};

function prepare(body: Uint8Array, target: UpstreamTarget): PreparedAttempt {
  const { format } = fromRequest(parseRequestJson(body));
  const { name } = target.provider;
  return {
    request: passedRequest('/embeddings', body, target, ownedFields),
    answerReader: () =>
      new SniffingReader(
        name,
        'document',
        () => new DocumentReader(name, (document) => readPassingAnswer(document, format, name)),
      ),
  };
}
