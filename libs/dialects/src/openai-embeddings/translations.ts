import type { Translation } from '../provider-dialect';
import { cohereEmbeddings, geminiEmbeddings } from './embedding-codec';
import { openaiEmbeddingsToOpenaiChat } from './pass-through';
import { translateEmbeddings } from './translate-embeddings';

/** Every way to have embeddings made. Providers of the other dialects have none. */
export const embeddingTranslations: readonly Translation[] = [
  openaiEmbeddingsToOpenaiChat,
  translateEmbeddings(geminiEmbeddings),
  translateEmbeddings(cohereEmbeddings),
];
