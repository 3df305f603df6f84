import type { IncomingHttpHeaders } from 'node:http';

/**
 * The key that a request carries: `Authorization: Bearer <key>`, or `x-api-key` where no Authorization is
 * sent (clients of the messages format).
 * Never from a query or a body, which end up in logs and histories. Null: none, or one that no key can look
 * like.
 */
export function presentedKey(headers: IncomingHttpHeaders): string | null {
  const { authorization } = headers;
  if (authorization !== undefined) return /^bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? null;
  const apiKey = headers['x-api-key'];
  return typeof apiKey === 'string' && /^\S+$/.test(apiKey) ? apiKey : null;
}
