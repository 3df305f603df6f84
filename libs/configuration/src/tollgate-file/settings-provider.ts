import { providerKeyName } from '@tollgate/contracts/catalog';
import { z } from 'zod';
import { providerEntry } from './provider-entry';

/** A field or section that is known and stands elsewhere. */
export const elsewhere = (where: string) =>
  z.custom<undefined>((said) => said === undefined, { error: where }).optional();

const ofTheFile = (what: string) => elsewhere(`${what} in tollgate.yaml alone`);
/** Credentials of Google and AWS are more than one text, and say themselves where they are sent. */
const authentication = providerEntry.shape.authentication.unwrap().exclude(['aws', 'google']);

/**
 * A provider that is set without the file: as there, but without names of environment variables, and without
 * headers, which may hold a secret. `keys`: names of keys that were given for it; absent: it needs none.
 */
export const settingsProvider = providerEntry.extend({
  id: providerEntry.shape.id.refine((id) => !Object.hasOwn(Object.prototype, id), 'is a word of JavaScript'),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .optional(),
  authentication: authentication.optional(),
  apiKeyEnv: ofTheFile('names of environment variables stand'),
  placeholders: ofTheFile('names of environment variables stand'),
  headers: ofTheFile('headers, which may hold a secret, stand'),
  keys: z.array(providerKeyName).min(1).max(8).optional(),
});
export type SettingsProvider = z.infer<typeof settingsProvider>;
