import { noUsage } from '@tollgate/contracts';
import { SniffingReader } from '../canonical/sniffing-reader';
import { readError } from '../openai-chat/read-error';
import type { PreparedAttempt, Translation, UpstreamTarget } from '../provider-dialect';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { parseJson } from '../wire/json-value';
import { parseRequestJson } from '../wire/request-json';
import { countInputTokens } from './count-input-tokens';
import { type EmbeddingCodec, cohereEmbeddings, geminiEmbeddings } from './embedding-codec';
import { DocumentReader, type ReadDocument } from '../canonical/document-reader';
import { decodedWarning, textsOf } from './embedding-input';
import { fromRequest, type EmbeddingRequest } from './from-request';
import { toFormat } from './vectors';
import { openaiEmbeddingsToOpenaiChat } from './pass-through';

/**
 * OpenAI's embeddings put to a provider that has a format of its own. Errors of these providers have one of
 * the forms that the chat dialect's reader knows.
 */
function translateEmbeddings(codec: EmbeddingCodec): Translation {
  return {
    surface: 'openai-embeddings',
    provider: codec.provider,
    prepare: (body, target) => prepare(codec, parseRequestJson(body), target),
    readError,
    countInputTokens: (body) => countInputTokens(parseRequestJson(body)),
  };
}

function prepare(codec: EmbeddingCodec, body: unknown, target: UpstreamTarget): PreparedAttempt {
  const request = fromRequest(body);
  const texts = textsOf(request.input);
  const task = { texts, dimensions: request.dimensions, extra: request.extra };
  const upstream = codec.toRequest(task, target);
  const { name } = target.provider;
  const read = (document: Buffer) => readAnswer(codec, { request, texts, body }, document, target);
  return {
    request: {
      path: upstream.path,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: [Buffer.from(JSON.stringify(upstream.body))],
      warnings: [
        ...(request.input.kind === 'tokens' ? [decodedWarning] : []),
        ...droppedFields(request, codec).map((field) => `${field} was dropped: ${name} does not take it`),
      ],
    },
    answerReader: () => new SniffingReader(name, 'document', () => new DocumentReader(name, read)),
  };
}

function droppedFields({ user, extra }: EmbeddingRequest, { takesExtra }: EmbeddingCodec): string[] {
  const unknown = Object.keys(extra).filter((field) => !takesExtra.includes(field));
  return user === undefined ? unknown : ['user', ...unknown];
}

interface Asked {
  request: EmbeddingRequest;
  texts: readonly string[];
  body: unknown;
}

/** Writes the answer in OpenAI's form; a count that the provider did not tell is the tokenizer's. */
function readAnswer(codec: EmbeddingCodec, asked: Asked, document: Buffer, target: UpstreamTarget): ReadDocument {
  const answer = codec.fromAnswer(parseJson(document.toString('utf8')));
  if (answer?.vectors.length !== asked.texts.length)
    return { error: brokenAnswer(target.provider.name, 'malformed_answer', 'sent an answer without its embeddings') };
  const { vectors, inputTokens } = answer;
  const tokens = inputTokens ?? countInputTokens(asked.body);
  const response = {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: toFormat(vector, asked.request.format),
    })),
    model: target.model.id,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
  return {
    bytes: Buffer.from(JSON.stringify(response)),
    usage: inputTokens === null ? null : { ...noUsage, input: inputTokens },
  };
}

/** Every way to have embeddings made. Providers of the other dialects have none. */
export const embeddingTranslations: readonly Translation[] = [
  openaiEmbeddingsToOpenaiChat,
  translateEmbeddings(geminiEmbeddings),
  translateEmbeddings(cohereEmbeddings),
];
