import { z } from 'zod';
import { projectName } from '../metering/budgets';
import { isSimulated, type CatalogSnapshot, type ProviderDefinition } from '../catalog/catalog';
import { sealingKey } from '../catalog/live-providers';
import { operation } from '../operation';
import { text } from '../text';

/** What an own key is sealed about: it opens for no other account, provider or address. */
export function aboutOwnKey(accountId: string, provider: string, baseUrl: string): string {
  return JSON.stringify(['tollgate own key', accountId, provider, baseUrl]);
}

/** What stands behind a provider's id in sums, where an account asked it with its own key. */
const ownKeyMark = ' (own key)';

/** A provider as sums name it, where an account asked it with its own key. */
export function ownKeyProvider(provider: string): string {
  return `${provider}${ownKeyMark}`;
}

/** Whether a provider of sums is one that was asked with own keys. */
export function isOwnKeyProvider(name: string): boolean {
  return name.endsWith(ownKeyMark);
}

/**
 * Keys of providers have some hundred characters. Each API key of the account tells every edge of all that
 * the account brought, so that they have to be small.
 */
export const mostOwnKeyCharacters = 2_048;
/** Such a key is 2,829 characters long when it is sealed. */
const mostSealedCharacters = 3_000;

const provider = text(64);
const baseUrl = text(2_000);

/**
 * Providers that are asked with keys of accounts, whether the operator has a key of theirs or not: none at an
 * address that is of its operator's account, and none that the sandbox answers for.
 */
export function takersOfOwnKeys(
  snapshot: Pick<CatalogSnapshot, 'sandbox'> & { readonly providers: readonly ProviderDefinition[] },
): ProviderDefinition[] {
  return snapshot.providers.filter((provider) => whyNoOwnKeys(provider, snapshot) === null);
}

/** Why a provider is asked with no key of an account; null: it may be. */
export function whyNoOwnKeys(provider: ProviderDefinition, snapshot: Pick<CatalogSnapshot, 'sandbox'>): string | null {
  const { authentication, apiKeyEnv, sealedKeys, placeholders, queues, ownKeys } = provider;
  if (isSimulated(provider, snapshot)) return 'the sandbox answers for it';
  if (!ownKeys) return 'it is set so (ownKeys: false)';
  if (queues) return 'it is a server of the operator’s own (queues: true), where an account has nothing to pay';
  if (authentication === 'google') return 'it takes credentials of Google, which are more than a key';
  if (Object.values(placeholders).some((placeholder) => placeholder.default === null))
    return 'its address is that of the operator’s account';
  return apiKeyEnv.length > 0 || sealedKeys !== null ? null : 'it needs no key';
}

/**
 * A provider that takes own keys, and where it is asked. Catalog tells them (`takersOfOwnKeys`). `operated`:
 * the operator has credentials of it, so that there is something to fall back to; absent: catalog is of the
 * release before.
 */
const takingProvider = z.object({
  id: z.string(),
  name: z.string(),
  baseUrl: z.string(),
  operated: z.boolean().optional(),
});

/**
 * What is to be known before a key is sealed. `sealing` null: no inference instance could open one.
 * `declining`: all other providers, and why they take none; absent: catalog, or accounts, is of the release
 * before.
 */
const taking = z.object({
  sealing: sealingKey.nullable(),
  providers: z.array(takingProvider),
  declining: z.array(z.object({ id: z.string(), why: z.string() })).optional(),
});

/** What whoever gives a key of a provider is told that takes none. */
export function takesNoOwnKeys(provider: string, { declining }: Pick<z.output<typeof taking>, 'declining'>): string {
  const why = declining && (declining.find(({ id }) => id === provider)?.why ?? 'there is no such provider');
  return `${provider} takes no keys of accounts here${why === undefined ? '' : `: ${why}`}.`;
}

/**
 * Catalog answers. `opens`: ids of the keys that an inference instance opens; null: none was heard of;
 * absent: catalog is of the release before.
 */
export const ownKeyProviderOperations = {
  list: operation('catalog.own-keys.providers', z.object({}), taking.extend({ opens: z.array(z.string()).nullish() })),
};

/**
 * A key that an account brought of a provider: never the key. `lastFour` null: it is too short to tell any of
 * it. `setAt`: epoch milliseconds. `problem` null: requests go with it, as far as is known; else why they are
 * refused: a list says that also where its provider refused the newest of them.
 * `fallsBack`: where its provider refuses or limits it, requests go on with the operator's key, at the
 * operator's prices.
 */
const ownKey = z.object({
  provider: z.string(),
  lastFour: z.string().nullable(),
  setAt: z.number(),
  setBy: z.string(),
  problem: z.string().nullable(),
  /** An accounts service of the release before tells none, and has none. */
  fallsBack: z.boolean().default(false),
});
export type OwnKey = z.infer<typeof ownKey>;

/** One for a project of the account, whose requests go with it in the place of the account's. */
const projectOwnKey = ownKey.extend({ project: z.string() });

/**
 * `by`: the person of the account who acts, whose role is judged within the change; absent: the operator.
 */
const acting = { account: text(200), by: text(200).optional(), actor: text(200).min(1).default('operator') };

const given = {
  ...{ provider, baseUrl, sealed: text(mostSealedCharacters), lastFour: text(4).nullable() },
  fallsBack: z
    .boolean()
    .optional()
    .describe(
      'whether requests go on with the operator’s key, at its prices, where the provider refuses or limits this one; absent: as with the key before it, if there was one, else not',
    ),
};
const ofProject = { project: projectName };
const chosen = {
  ...{ ...acting, provider },
  fallsBack: z
    .boolean()
    .describe(
      'whether requests go on with the operator’s key, at its prices, where the provider refuses or limits this one',
    ),
};

/**
 * Own keys of accounts, at most one of a provider, and one for each project beside it. Accounts answers;
 * nothing ever tells a key.
 */
export const ownKeyOperations = {
  /** With what is needed to seal one. `not_found`; `unavailable` while catalog is away. */
  list: operation(
    'accounts.own-keys.list',
    z.object({ account: text(200) }),
    taking.extend({ accountId: z.string(), keys: z.array(ownKey), projectKeys: z.array(projectOwnKey).default([]) }),
  ),
  /**
   * Keeps a key, in the place of the one that the account had of the provider; edges go by it within a
   * second. `sealed`: see `aboutOwnKey`. `invalid`: the provider takes none, has another address by now, or
   * it is sealed for nobody; `forbidden`; `not_found`; `unavailable` while catalog is away.
   */
  set: operation('accounts.own-keys.set', z.object({ ...acting, ...given }), z.object({ key: ownKey })),
  /**
   * Removes one for good. Within a second requests go with the operator's key again; where it has none of the
   * provider, the models that are there alone are the account's no more.
   */
  remove: operation('accounts.own-keys.remove', z.object({ ...acting, provider }), z.object({})),
  /**
   * The same for the keys of a project, in an operation of its own: an accounts of the release before would
   * take it for one of the whole account. `not_found` also where no key of the account is of the project.
   */
  setForProject: operation(
    'accounts.own-keys.set-for-project',
    z.object({ ...acting, ...ofProject, ...given }),
    z.object({ key: projectOwnKey }),
  ),
  /**
   * Removes one for good. Requests of the project go with that of the account again, if it has one, else as
   * after `remove`.
   */
  removeForProject: operation(
    'accounts.own-keys.remove-for-project',
    z.object({ ...acting, ...ofProject, provider }),
    z.object({}),
  ),
  /** Changes what is chosen of a key that is there; edges go by it within a second. */
  change: operation('accounts.own-keys.change', z.object(chosen), z.object({ key: ownKey })),
  changeForProject: operation(
    'accounts.own-keys.change-for-project',
    z.object({ ...chosen, ...ofProject }),
    z.object({ key: projectOwnKey }),
  ),
};

/** `project` empty: of the whole account. */
const place = z.object({ accountId: text(200), provider, project: z.string().default('') });

/** Own keys as they lie sealed, for catalog alone, which has inference seal them again. Accounts answers. */
export const ownKeySealingOperations = {
  /**
   * Some that are sealed with another key than `sealing` names, behind a place. `account`: its email. `next`
   * null: those were the last. `projects`: who asks knows of those of projects.
   */
  former: operation(
    'accounts.own-keys.former',
    z.object({ sealing: text(32), after: place.nullable(), projects: z.boolean().default(false) }),
    z.object({
      keys: z.array(place.extend({ account: z.string(), baseUrl, sealed: z.string() })),
      next: place.nullable(),
    }),
  ),
  /**
   * Keeps each in the place of what was sealed before, where that is still there; edges go by it within a
   * second. Tells how many were.
   */
  keep: operation(
    'accounts.own-keys.keep',
    z.object({ keys: z.array(place.extend({ before: text(20_000), sealed: text(mostSealedCharacters) })).max(100) }),
    z.object({ kept: z.number().int() }),
  ),
};
