import { GatewayError } from '@tollgate/contracts';
import type { z } from 'zod';

/** A refusal that names what a route does not know, and what it knows. `hint`: what else to say. */
export function unknownParameters(names: readonly string[], { shape }: z.ZodObject, hint?: string): GatewayError {
  const told = names.slice(0, 10).map((name) => name.slice(0, 100));
  const known = Object.keys(shape).toSorted().join(', ');
  const sentences = [`${told.join(', ')}: not a parameter here.`, `Known are: ${known}.`, ...(hint ? [hint] : [])];
  return new GatewayError(400, sentences.join(' '));
}
