import type { ErrorBody, GatewayError } from '@tollgate/contracts';

/**
 * The body of an error, with the words in it on which agents make room in a full context. `words`: those of
 * the surface's own provider.
 */
export function toldError({ body }: GatewayError, words: string): ErrorBody {
  const { message, details } = body.error;
  if (details?.reason !== 'context_length_exceeded' || message.toLowerCase().includes(words)) return body;
  return { error: { ...body.error, message: `${words}: ${message}` } };
}
