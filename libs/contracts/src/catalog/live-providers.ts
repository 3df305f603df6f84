import { z } from 'zod';
import { dialectName } from '../surface';
import { providerDefinition, serverNames } from './catalog';
import { operation } from '../operation';
import { text, thingName } from '../text';

/** How one of a provider's keys is called by people. */
export const providerKeyName = z
  .string()
  .max(40)
  .regex(/^[a-z0-9][a-z0-9-]*$/, 'a name of a key is lower-case letters, digits and dashes');

/** A key as a provider gives it: what a header can hold, without spaces. */
export const providerKey = z
  .string()
  .trim()
  .max(8_192)
  .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters, without spaces');

/** What keys of providers are sealed with: the public part of a pair whose other part inference alone has. */
export const sealingKey = z.object({ id: text(32), publicKey: text(64) });
export type SealingKey = z.infer<typeof sealingKey>;

/** What a sealed key of a provider is about: it opens for no other provider, name or address. */
export function aboutProviderKey(provider: string, name: string, baseUrl: string): string {
  return JSON.stringify(['tollgate provider key', provider, name, baseUrl]);
}

const provider = text(64);
const baseUrl = text(2_000);
const sealed = text(20_000);
const reason = text(300).optional();
const by = text(200);

/**
 * A key that somebody gave. `lastFour` null: it is too short to tell any of it. `setAt`: epoch milliseconds.
 * `problem` null: it can be used.
 */
const toldKey = z.object({
  name: z.string(),
  lastFour: z.string().nullable(),
  setAt: z.number(),
  setBy: z.string(),
  problem: z.string().nullable(),
});

/**
 * A provider that is set without the file. `builtIn`: the release has it, and its address. `baseUrl` null: it
 * says none that can be used. `problem` null: it holds; else why it does not.
 */
const liveProvider = z.object({
  provider: z.string(),
  builtIn: z.boolean(),
  baseUrl: z.string().nullable(),
  problem: z.string().nullable(),
  keys: z.array(toldKey),
});
export type LiveProvider = z.infer<typeof liveProvider>;

const { authentication } = providerDefinition.shape;

/** A document of settings came to be another: its version. */
const changed = z.object({ version: z.number().int(), provider: liveProvider });

/**
 * Providers, and keys of providers, that are set without the file. The entries stand in the document of the
 * settings, keys sealed beside it. Nothing ever tells a key. Catalog answers, `unavailable` while its
 * database is away.
 */
export const liveProviderOperations = {
  /** `sealing` null: no inference instance has a key-encryption key. */
  list: operation(
    'catalog.providers.live',
    z.object({}),
    z.object({ sealing: sealingKey.nullable(), providers: z.array(liveProvider) }),
  ),
  /**
   * Sets a provider, or changes what of it is said: what is absent stays as it is. One that neither the
   * release nor the settings have needs `baseUrl`, is asked in `dialect` (absent: chat completions), and
   * unless told otherwise has its models read from its own list. `keys`: names of its keys; of a new one
   * `main` unless told otherwise, none for a server that needs none. `onlyNew`: `conflict` where there is one
   * already. `invalid` tells what does not fit.
   */
  set: operation(
    'catalog.providers.set',
    z.object({
      provider,
      name: thingName(100).optional(),
      preset: z.enum(serverNames).optional(),
      dialect: dialectName.optional(),
      baseUrl: baseUrl.optional(),
      authentication: authentication.unwrap().optional(),
      models: z.enum(['discover', 'never']).optional(),
      keys: z.array(providerKeyName).max(8).optional(),
      onlyNew: z.boolean().default(false),
      reason,
      by,
    }),
    changed,
  ),
  /** Takes a provider out of the settings, with its keys. `not_found`: it is none of them. */
  remove: operation('catalog.providers.remove', z.object({ provider, reason, by }), z.object({ version: z.number() })),
  /**
   * What a key of a provider is to be sealed with, and for which address. `not_found`: there is no such
   * provider; `invalid`: it takes no such key; `unavailable`: no inference instance has a key-encryption key.
   */
  sealingFor: operation(
    'catalog.providers.sealing',
    z.object({ provider }),
    z.object({ sealing: sealingKey, baseUrl: z.string() }),
  ),
  /**
   * Keeps a key, in the place of the one that had its name. `sealed`: for `baseUrl` (see `aboutProviderKey`).
   * `invalid`: the provider has another address by now.
   */
  setKey: operation(
    'catalog.providers.keys.set',
    z.object({ provider, name: providerKeyName, baseUrl, sealed, lastFour: text(4).nullable(), by }),
    changed,
  ),
  /**
   * Removes a key for good. A provider that has no other is set aside until it is given one. `not_found`:
   * there is no such key.
   */
  removeKey: operation('catalog.providers.keys.remove', z.object({ provider, name: providerKeyName, by }), changed),
  /**
   * Has inference seal again what a former key-encryption key opens, own keys of accounts, too. `failed`:
   * what it cannot open; `failedOwn`: of accounts, by their emails; absent: catalog is of the release before.
   * `ownUnseen`: not all own keys were looked at, since accounts or inference could not be asked.
   */
  reseal: operation(
    'catalog.providers.reseal',
    z.object({ by }),
    z.object({
      resealed: z.number().int(),
      failed: z.array(z.object({ provider: z.string(), name: z.string() })),
      failedOwn: z
        .array(z.object({ account: z.string(), provider: z.string(), project: z.string().optional() }))
        .optional(),
      ownUnseen: z.boolean().optional(),
    }),
  ),
};

/** What inference is asked about sealed keys, by catalog. */
export const sealingOperations = {
  /** Seals a key with the newest key-encryption key; null: this instance cannot open it. */
  reseal: operation(
    'inference.providers.reseal',
    z.object({ provider, name: providerKeyName, baseUrl, sealed }),
    z.object({ sealed: z.string().nullable() }),
  ),
  /** The same of a key that an account brought. */
  resealOwn: operation(
    'inference.own-keys.reseal',
    z.object({ accountId: text(200), provider, baseUrl, sealed }),
    z.object({ sealed: z.string().nullable() }),
  ),
};
