import type { PreparedAttempt, Translation, UpstreamRequest, UpstreamTarget } from '../provider-dialect';
import { SniffingReader } from '../canonical/sniffing-reader';
import { readError } from '../openai-chat/read-error';
import { parseRequestJson, withoutBom } from '../wire/request-json';
import { membersOf, spliceObject } from '../wire/splice-object';
import { countInputTokens } from './count-input-tokens';
import { EmbeddingsReader } from './embeddings-reader';
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
    request: upstreamRequest(body, target),
    answerReader: () =>
      new SniffingReader(
        name,
        'document',
        () => new EmbeddingsReader(name, (document) => readPassingAnswer(document, format, name)),
      ),
  };
}

function upstreamRequest(body: Uint8Array, { provider, upstreamModel }: UpstreamTarget): UpstreamRequest {
  const source = withoutBom(body);
  const members = membersOf(source);
  const dropped = provider.quirks.dropFields.filter((field) => members.some(({ name }) => name === field));
  return {
    path: '/embeddings',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: spliceObject(source, members, {
      set: { model: Buffer.from(JSON.stringify(upstreamModel)) },
      single: ownedFields,
      drop: dropped,
    }),
    warnings: dropped.map((field) => `${field} was dropped: ${provider.name} does not take it`),
  };
}
