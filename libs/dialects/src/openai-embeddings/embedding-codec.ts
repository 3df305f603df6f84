import type { DialectName } from '@tollgate/contracts';
import { invalid } from '../canonical/request-fields';
import type { UpstreamTarget } from '../provider-dialect';
import { isRecord, recordIn } from '../wire/json-value';
import { normalized, readVector } from './vectors';

/**
 * What an embedding endpoint other than OpenAI's is asked. `dimensions` undefined: as many as the model has.
 */
interface EmbeddingTask {
  texts: readonly string[];
  dimensions: number | undefined;
  /** Fields of the caller that OpenAI's format does not name. */
  extra: Readonly<Record<string, unknown>>;
}

/** What it answered, in the order of the texts. `inputTokens` null: it told none. */
interface EmbeddingAnswer {
  vectors: number[][];
  inputTokens: number | null;
}

/** How one provider dialect embeds texts. Pure, no I/O. */
export interface EmbeddingCodec {
  readonly provider: DialectName;
  /**
   * Names of the fields in `EmbeddingTask.extra` that `toRequest` takes; the others are dropped with a
   * warning.
   */
  readonly takesExtra: readonly string[];
  /** `path` is appended to the base URL. @throws GatewayError 400 naming what this provider cannot do. */
  toRequest(task: EmbeddingTask, target: UpstreamTarget): { path: string; body: object };
  /** Reads a whole answer; null when it is none. */
  fromAnswer(value: unknown): EmbeddingAnswer | null;
}

/** https://docs.cohere.com/reference/embed#request.body.texts */
const mostTexts = 96;

/**
 * Embeddings of Cohere, version 2. https://docs.cohere.com/reference/embed
 * A caller may say in `input_type` what its texts are for, which Cohere must know; documents are taken for
 * granted.
 */
export const cohereEmbeddings: EmbeddingCodec = {
  provider: 'cohere',
  takesExtra: ['input_type'],
  toRequest: ({ texts, dimensions, extra }, { upstreamModel, model }) => {
    if (texts.length > mostTexts) throw invalid('input', `must hold at most ${mostTexts} texts for ${model.id}`);
    return {
      path: '/embed',
      body: {
        model: upstreamModel,
        texts,
        input_type: extra.input_type ?? 'search_document',
        embedding_types: ['float'],
        // A text that is too long would be cut without a word.
        truncate: 'NONE',
        ...(dimensions !== undefined && { output_dimension: dimensions }),
      },
    };
  },
  fromAnswer: (value) => {
    const { float } = recordIn(value, 'embeddings');
    if (!Array.isArray(float)) return null;
    const vectors: number[][] = [];
    for (const item of float as unknown[]) {
      const vector = readVector(item);
      if (!vector) return null;
      vectors.push(vector);
    }
    const { input_tokens: told } = recordIn(recordIn(value, 'meta'), 'billed_units');
    return { vectors, inputTokens: typeof told === 'number' && told > 0 ? told : null };
  },
};

/** Embeddings of the Gemini API. https://ai.google.dev/api/embeddings#method:-models.batchembedcontents */
export const geminiEmbeddings: EmbeddingCodec = {
  provider: 'gemini',
  takesExtra: [],
  toRequest: ({ texts, dimensions }, { upstreamModel }) => ({
    path: `/models/${encodeURIComponent(upstreamModel)}:batchEmbedContents`,
    body: {
      requests: texts.map((text) => ({
        model: `models/${upstreamModel}`,
        content: { parts: [{ text }] },
        ...(dimensions !== undefined && { outputDimensionality: dimensions }),
      })),
    },
  }),
  fromAnswer: (value) => {
    const embeddings: unknown[] = isRecord(value) && Array.isArray(value.embeddings) ? value.embeddings : [];
    const vectors: number[][] = [];
    for (const embedding of embeddings) {
      const vector = isRecord(embedding) ? readVector(embedding.values) : null;
      if (!vector) return null;
      // OpenAI's vectors have length 1 at any size; Gemini's have it at their full size only.
      // https://ai.google.dev/gemini-api/docs/embeddings#quality-for-smaller-dimensions
      vectors.push(normalized(vector));
    }
    // Newer models count their input; gemini-embedding-001 tells nothing.
    const { promptTokenCount } = recordIn(value, 'usageMetadata');
    return {
      vectors,
      inputTokens: typeof promptTokenCount === 'number' && promptTokenCount > 0 ? promptTokenCount : null,
    };
  },
};
