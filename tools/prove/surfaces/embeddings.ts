import { z } from 'zod';
import type { ClientSurface } from './client-surface';

const answered = z.object({ data: z.array(z.object({ embedding: z.array(z.number()).min(1) })).min(1) });

/** Its text is its numbers. https://developers.openai.com/api/reference/resources/embeddings/methods/create */
export const embeddingsSurface: ClientSurface = {
  path: '/v1/embeddings',
  body: (model, prompt) => ({ model, input: prompt }),
  textOf: (answer) => JSON.stringify(answered.parse(answer).data),
  readEvent() {
    throw new Error('Embeddings come in one piece.');
  },
};
