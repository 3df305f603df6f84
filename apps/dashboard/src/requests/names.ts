import { type LoggedRequest, responseCacheProvider } from '@tollgate/contracts/metering';

/** What people call the format that a request came in. */
export const surfaceNamesForPeople: Record<LoggedRequest['surface'], string> = {
  'openai-chat': 'Chat completions',
  'openai-responses': 'Responses',
  'anthropic-messages': 'Messages',
  'openai-embeddings': 'Embeddings',
  'openai-completions': 'Text completions',
  rerank: 'Rerank',
};

export const responseCacheName = 'Response cache';

/**
 * What people read for the provider of a report; null and the empty text are that of requests which none
 * answered.
 */
export function providerNameOf(provider: string | null): string {
  return provider === responseCacheProvider ? responseCacheName : provider || 'None answered';
}
