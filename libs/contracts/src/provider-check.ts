import { z } from 'zod';
import { operation } from './operation';
import { text } from './text';

/** What a look at one provider found. `ok`: it answers, and gave a token where it has a model in the catalog. `says` is one line for people, without secrets. */
export const providerCheck = z.object({ provider: z.string(), url: z.string(), ok: z.boolean(), says: z.string() });
export type ProviderCheck = z.infer<typeof providerCheck>;

/** What inference is asked by operators. */
export const inferenceOperations = {
  /** Asks one provider (null: each that can be reached) for its models and for one token. `not_found` for one that cannot be reached. */
  checkProviders: operation(
    'inference.providers.check',
    z.object({ provider: text(64).nullable() }),
    z.object({ checks: z.array(providerCheck) }),
  ),
};
