import { invalid } from '../canonical/request-fields';
import { recordIn } from '../wire/json-value';
import type { EmbeddingCodec } from './embedding-codec';
import { readVector } from './vectors';

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
