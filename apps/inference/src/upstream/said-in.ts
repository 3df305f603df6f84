import { redact } from '@tollgate/dialects';
import { z } from 'zod';
import type { ProviderEndpoint } from './provider-endpoint';

/** The forms in which servers say why: OpenAI's, FastAPI's, and plain ones. */
const reasonForms = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
]);
const longest = 300;

/**
 * The words of an error's body behind a colon, on one line and without keys; nothing where it is empty or a
 * page.
 */
export function saidIn(text: string, { apiKey }: Pick<ProviderEndpoint, 'apiKey'>): string {
  if (text.trimStart().startsWith('<')) return '';
  const reason = reasonIn(text).replace(/\s+/g, ' ');
  const clean = redact(apiKey === null ? reason : reason.replaceAll(apiKey, '[redacted]')).slice(0, longest);
  return clean === '' ? '' : `: ${clean}`;
}

function reasonIn(text: string): string {
  try {
    return reasonForms.parse(JSON.parse(text));
  } catch {
    return text;
  }
}
