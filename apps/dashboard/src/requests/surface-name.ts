import type { LoggedRequest } from '@tollgate/contracts';

/** What people call the format that a request came in. */
export const surfaceNamesForPeople: Record<LoggedRequest['surface'], string> = {
  'openai-chat': 'Chat completions',
  'openai-responses': 'Responses',
  'anthropic-messages': 'Messages',
  'openai-embeddings': 'Embeddings',
  'openai-completions': 'Text completions',
  rerank: 'Rerank',
};
