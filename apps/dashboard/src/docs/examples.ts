import { usualModel } from '../models/preferred-model';
import type { Endpoint } from './api-description';

const model = usualModel;
const messages = [{ role: 'user', content: 'Hello' }];

/** A body for each endpoint that callers send one to. */
const bodies: Readonly<Record<string, object>> = {
  '/v1/chat/completions': { model, messages },
  '/v1/messages': { model, max_tokens: 1024, messages },
  '/v1/messages/count_tokens': { model, messages },
  '/v1/responses': { model, input: 'Hello' },
  '/v1/responses/input_tokens': { model, input: 'Hello' },
  '/v1/responses/compact': { model, input: 'Hello' },
  '/v1/embeddings': { model: 'openai/text-embedding-3-small', input: 'Hello' },
  '/v1/conversations': { items: [{ type: 'message', role: 'user', content: 'Hello' }] },
};

/**
 * How an endpoint is asked, for a shell; null: there is no example of what it takes, or it takes a browser.
 */
export function exampleFor({ method, path, group, body }: Endpoint, origin: string): string | null {
  if (group === 'Dashboard') return null;
  const sent = bodies[path];
  if (body.length > 0 && sent === undefined) return null;
  const key = group === null ? 'TOLLGATE_KEY' : 'TOLLGATE_ADMIN_TOKEN';
  const lines = [
    `curl ${method === 'GET' || sent ? '' : `-X ${method} `}${origin}${path}`,
    `-H "Authorization: Bearer $${key}"`,
    ...(sent ? ['-H "Content-Type: application/json"', `-d '${JSON.stringify(sent)}'`] : []),
  ];
  return lines.join(' \\\n  ');
}
