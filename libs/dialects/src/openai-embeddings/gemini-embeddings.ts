import { isRecord, recordIn } from '../wire/json-value';
import type { EmbeddingCodec } from './embedding-codec';
import { normalized, readVector } from './vectors';

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
