import type { PreparedAttempt, Translation, UpstreamTarget } from '../provider-dialect';
import { DocumentReader } from '../canonical/document-reader';
import { passedRequest } from '../canonical/passed-request';
import { SniffingReader } from '../canonical/sniffing-reader';
import { readError } from '../openai-chat/read-error';
import { parseRequestJson, withoutBom } from '../wire/request-json';
import { membersOf, spliceObject } from '../wire/splice-object';
import { countInputTokens } from './count-input-tokens';
import { decodedWarning, textsOf } from './embedding-input';
import type { EmbeddingInput } from './embedding-input';
import { fromRequest } from './from-request';
import { readPassingAnswer } from './passing-answer';

/**
 * Fields that the gateway reads: of duplicates only the last one is sent, which is the one that was
 * validated.
 */
const ownedFields = ['model', 'input', 'encoding_format', 'dimensions', 'user'];

/**
 * Embeddings of providers that speak chat completions, which have OpenAI's embeddings beside them: bytes
 * pass, and only the model's name is touched, and that of the size where the provider has another.
 */
export const openaiEmbeddingsToOpenaiChat: Translation = {
  surface: 'openai-embeddings',
  provider: 'openai-chat',
  prepare,
  readError,
  countInputTokens: (body) => countInputTokens(parseRequestJson(body)),
};

function prepare(source: Uint8Array, target: UpstreamTarget): PreparedAttempt {
  const { format, input } = fromRequest(parseRequestJson(source));
  const { name } = target.provider;
  const isDecoded = input.kind === 'tokens' && !takesTokens(target);
  const request = passedRequest('/embeddings', asTaken(source, target, isDecoded ? input : null), target, ownedFields);
  return {
    request: isDecoded ? { ...request, warnings: [decodedWarning, ...request.warnings] } : request,
    answerReader: () =>
      new SniffingReader(
        name,
        'document',
        () => new DocumentReader(name, (document) => readPassingAnswer(document, format, name)),
      ),
  };
}

/** OpenAI's own models do, wherever they are; a server of the operator's may, and its callers know which. */
function takesTokens({ provider, upstreamModel }: UpstreamTarget): boolean {
  return provider.operatorDefined || upstreamModel.startsWith('text-embedding-');
}

/** `decoded`: the tokens whose words are sent in their place; null: what was asked is sent. */
function asTaken(source: Uint8Array, { provider }: UpstreamTarget, decoded: EmbeddingInput | null): Uint8Array {
  const { dimensionsField } = provider.quirks;
  if (!decoded && dimensionsField === 'dimensions') return source;
  const plain = withoutBom(source);
  return spliceObject(plain, membersOf(plain), {
    single: ownedFields,
    rename: { dimensions: dimensionsField },
    ...(decoded && { set: { input: Buffer.from(JSON.stringify(textsOf(decoded))) } }),
  });
}
