import { apiKeyDigest, apiKeyDisplay, ControlError, createApiKey, uuidv7 } from '@tollgate/contracts';
import type { Account } from '@tollgate/contracts/accounts';
import { isUuid } from '@tollgate/database';
import { operatorEmail } from '../accounts/operator-email';
import { anAdministrator } from '../people/an-administrator';
import type { AccountsSettings } from '../settings';
import { readPage, type AccountsQueries, type Page, type PageWish } from '../storage';
import type { KeyColumns, StoredKey } from './stored-key';

type KeyQueries = Pick<AccountsQueries, 'apiKey'>;

/** What comes with a key whenever it is told: of the people of its account only whether one administers. */
export const withAccount = {
  account: {
    include: {
      budgets: { orderBy: { id: 'asc' } },
      ownKeys: { select: { provider: true, sealed: true, fallsBack: true }, orderBy: { provider: 'asc' } },
      projectOwnKeys: {
        select: { project: true, provider: true, sealed: true, fallsBack: true },
        orderBy: { provider: 'asc' },
      },
      people: anAdministrator,
    },
  },
  person: { select: { id: true, name: true, role: true } },
} as const;

/**
 * How keys are made: `keyPrefix` stands in front of every key, `keyPepper` is the secret under which their
 * digests are made (the same at every edge).
 */
interface KeyMaking {
  keyPrefix: string;
  keyPepper: string;
}

/** What must, and what may, be known of a key before it is made. */
type NewKey = { accountId: string; name: string; personId?: string | null | undefined } & {
  [Name in keyof KeyColumns]?: KeyColumns[Name] | undefined;
};

/** Whose a key must be; what is undefined may be anybody's. */
interface Whose {
  accountId?: string | undefined;
  personId?: string | undefined;
}

/**
 * @throws ControlError `not_found` when no key has this id, or when it is not of the account or the person
 * that is named.
 */
export async function findKey(
  { apiKey }: KeyQueries,
  keyId: string,
  { accountId, personId }: Whose = {},
): Promise<StoredKey> {
  const key = isUuid(keyId) ? await apiKey.findUnique({ where: { id: keyId }, include: withAccount }) : null;
  const isTheirs =
    (accountId === undefined || key?.accountId === accountId) && (personId === undefined || key?.personId === personId);
  if (!key || !isTheirs) throw new ControlError('not_found', `There is no key with the id ${JSON.stringify(keyId)}.`);
  return key;
}

/**
 * The key that is kept under one of these digests, in one statement: a key that is just being kept under
 * another one is found by either.
 */
export function findKeyByDigest({ apiKey }: KeyQueries, digests: readonly string[]): Promise<StoredKey | null> {
  return apiKey.findFirst({ where: { digest: { in: [...digests] } }, include: withAccount });
}

/**
 * Whether a key was stored already, revoked or not: under the pepper of now, or under a former one, where
 * what is shown of it tells.
 */
export async function isStored(
  { apiKey: keys }: KeyQueries,
  { keyPepper }: Pick<KeyMaking, 'keyPepper'>,
  { apiKey, ...shown }: { apiKey: string; accountId: string; name: string },
): Promise<boolean> {
  const digest = apiKeyDigest(apiKey, keyPepper);
  return (await keys.count({ where: { OR: [{ digest }, { ...shown, display: apiKeyDisplay(apiKey) }] } })) > 0;
}

/** What keys are looked for by; see `accountsOperations.listKeys`. */
interface KeySearch {
  accountId?: string | undefined;
  endsBy?: number | undefined;
  madeBy?: number | undefined;
}

/**
 * One page of keys: all, or those of one account, or those that work and end by `endsBy` (epoch
 * milliseconds).
 * @throws ControlError `invalid` for a wrong cursor.
 */
export function pageOfKeys(
  { apiKey }: KeyQueries,
  { accountId, endsBy, madeBy }: KeySearch,
  wish: PageWish,
): Promise<Page<StoredKey>> {
  const works = { status: 'active', account: { status: 'active' } } as const;
  const now = new Date();
  const sought = {
    ...(endsBy !== undefined && { ...works, expiresAt: { gt: now, lte: new Date(endsBy) } }),
    ...(madeBy !== undefined && {
      ...works,
      createdAt: { lte: new Date(madeBy) },
      OR: goesOnAt(now),
    }),
  };
  return readPage(wish, ({ id, ...page }) =>
    apiKey.findMany({ where: { accountId, ...sought, id }, ...page, include: withAccount }),
  );
}

/** The ids of all keys of these accounts. */
export async function keyIdsOf({ apiKey }: KeyQueries, ...accountIds: string[]): Promise<string[]> {
  const where = { accountId: { in: accountIds } };
  return (await apiKey.findMany({ where, select: { id: true } })).map(({ id }) => id);
}

/**
 * Those of these keys that can be used at `now` (epoch milliseconds), by the order in which they were made.
 */
export function usableKeys({ apiKey }: KeyQueries, ids: readonly string[], now: number): Promise<StoredKey[]> {
  return apiKey.findMany({
    where: {
      id: { in: ids.filter(isUuid) },
      status: 'active',
      account: { status: 'active' },
      OR: goesOnAt(new Date(now)),
    },
    orderBy: { id: 'asc' },
    include: withAccount,
  });
}

/** Of what has an end, or none: that it has not ended by then. */
export function goesOnAt(at: Date) {
  return [{ expiresAt: null }, { expiresAt: { gt: at } }];
}

/**
 * That one more key of an account may work: the limits of a plan are those of each. The operator's own
 * account has as many as they like. Changes are one after the other, so that several at once cannot pass it.
 * `wayOut`: what whoever asks can do about it at once.
 * @throws ControlError `conflict`.
 */
export async function requireRoomForKey(
  { apiKey }: KeyQueries,
  { keysPerAccount: most }: Pick<AccountsSettings, 'keysPerAccount'>,
  { id: accountId, email }: Pick<Account, 'id' | 'email'>,
  wayOut = 'revoke one first',
): Promise<void> {
  if (email === operatorEmail) return;
  const works = { status: 'active', OR: goesOnAt(new Date()) } as const;
  if ((await apiKey.count({ where: { accountId, ...works } })) < most) return;
  const told = most.toLocaleString('en-US');
  throw new ControlError(
    'conflict',
    `At most ${told} keys of an account may work: ${wayOut}, or ask the operator for more (KEYS_PER_ACCOUNT).`,
  );
}

/**
 * Makes a key, or takes one that was made elsewhere, and stores its digest. Returns the key itself, which
 * nobody can tell again, and its id.
 */
export async function insertKey(
  queries: KeyQueries,
  { keyPrefix, keyPepper }: KeyMaking,
  key: NewKey,
  apiKey = createApiKey(keyPrefix),
): Promise<{ apiKey: string; id: string }> {
  const id = uuidv7();
  const derived = { id, digest: apiKeyDigest(apiKey, keyPepper), display: apiKeyDisplay(apiKey) };
  await queries.apiKey.create({ data: { ...key, ...derived } });
  return { apiKey, id };
}

/**
 * Revokes the keys of a person, who is about to be removed: they are nobody's then. Returns the ids of those
 * that worked until now.
 */
export async function revokeKeysOf({ apiKey }: KeyQueries, personId: string): Promise<string[]> {
  const working = await apiKey.findMany({ where: { personId, status: 'active' }, select: { id: true } });
  await apiKey.updateMany({ where: { personId }, data: { status: 'revoked', personId: null } });
  return working.map(({ id }) => id);
}

/** Writes columns of a key; what is undefined stays. */
export async function updateKey(
  { apiKey }: KeyQueries,
  id: string,
  data: { [Name in keyof KeyColumns]?: KeyColumns[Name] | undefined } & {
    name?: string | undefined;
    status?: StoredKey['status'];
  },
): Promise<void> {
  await apiKey.update({ where: { id }, data });
}

/** Keeps a key under another digest; false when it is not under the former one any more. */
export async function replaceDigest(
  { apiKey }: KeyQueries,
  id: string,
  former: string,
  digest: string,
): Promise<boolean> {
  const { count } = await apiKey.updateMany({ where: { id, digest: former }, data: { digest } });
  return count > 0;
}
