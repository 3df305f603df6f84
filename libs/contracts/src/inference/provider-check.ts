import { z } from 'zod';
import { operation } from '../operation';
import { text } from '../text';

/**
 * What a look at one provider found. `ok`: it answers, and gave a token where it has a model in the catalog.
 * `says` is one line for people, without secrets.
 */
export const providerCheck = z.object({ provider: z.string(), url: z.string(), ok: z.boolean(), says: z.string() });
export type ProviderCheck = z.infer<typeof providerCheck>;

/**
 * What a provider lists that it did not list before, and what it lists no more; `models`: how many there are,
 * null: it gave no list.
 */
export const modelLook = z.object({
  provider: z.string(),
  models: z.number().int().nullable(),
  came: z.array(z.string()),
  went: z.array(z.string()),
});
export type ModelLook = z.infer<typeof modelLook>;

/** What inference is asked by operators. */
export const inferenceOperations = {
  /**
   * Asks one provider (null: each that can be reached) for its models, with each of its keys, and unless
   * `token` is false for one token, which costs what it costs. Each inference instance leaves a provider in
   * peace for five seconds after a look: who asks sooner waits, and who asks while others wait is told the
   * same. `not_found` for one that cannot be reached, which tells what it needs.
   */
  checkProviders: operation(
    'inference.providers.check',
    z.object({ provider: text(64).nullable(), token: z.boolean().default(true) }),
    z.object({ checks: z.array(providerCheck) }),
  ),
  /**
   * Reads the lists of one provider (null: of each whose models are followed) now. `not_found` for one that
   * is not followed.
   */
  lookForModels: operation(
    'inference.models.look',
    z.object({ provider: text(64).nullable() }),
    z.object({ looks: z.array(modelLook) }),
  ),
};

/**
 * What people of the dashboard ask inference about providers: by way of catalog, so that inference cannot
 * write into the inbox to which edge has keys answered.
 */
export const providerOperations = {
  /** As `inferenceOperations.checkProviders`. */
  check: operation(
    'catalog.providers.check',
    inferenceOperations.checkProviders.request,
    inferenceOperations.checkProviders.reply,
  ),
  /** As `inferenceOperations.lookForModels`. */
  look: operation(
    'catalog.providers.look',
    inferenceOperations.lookForModels.request,
    inferenceOperations.lookForModels.reply,
  ),
};
