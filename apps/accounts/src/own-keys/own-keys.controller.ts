import { Controller } from '@nestjs/common';
import {
  ControlError,
  mayInAccount,
  ownKeyOperations,
  ownKeyProviderOperations,
  ownKeySealingOperations,
  type OwnKey,
  type ServedBy,
} from '@tollgate/contracts';
import { ControlClient, Serve } from '@tollgate/messaging';
import { findAccount } from '../accounts/account-rows';
import { Changes } from '../keys/changes';
import { keyIdsOf } from '../keys/key-rows';
import { roleOf } from '../members/member-rules';
import { Storage, type AccountsQueries } from '../storage';

type Served = ServedBy<typeof ownKeyOperations>;
type ServedSealing = ServedBy<typeof ownKeySealingOperations>;
type Taking = ServedBy<typeof ownKeyProviderOperations>['list']['reply'];

/** An own key as the database holds it. */
type StoredOwnKey = Omit<OwnKey, 'setAt' | 'problem'> & { baseUrl: string; sealed: string; setAt: Date };

/** So many are told, and kept, at once: each change of keys waits for it. */
const formerAtOnce = 20;

/**
 * Keys of providers that accounts bring. Each of the account's API keys tells edges of them, so that a change
 * is one of all its API keys. All throw ControlError `unavailable` when the database is away.
 */
@Controller()
export class OwnKeysController {
  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly control: ControlClient,
  ) {}

  @Serve(ownKeyOperations.list)
  async list({ account }: Served['list']['request']): Promise<Served['list']['reply']> {
    const taking = await this.taking();
    const { sealing, providers } = taking;
    return this.storage.read(async (queries) => {
      const { id: accountId } = await findAccount(queries, account);
      const keys = await queries.ownKey.findMany({ where: { accountId }, orderBy: { provider: 'asc' } });
      return { sealing, providers, accountId, keys: keys.map((key) => told(key, taking)) };
    });
  }

  @Serve(ownKeyOperations.set)
  async set({ account, by, actor, provider, ...given }: Served['set']['request']): Promise<Served['set']['reply']> {
    const taking = await this.taking();
    requireFit(taking, { provider, ...given });
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const { id: accountId } = await findAccount(transaction, account);
      await requireMay(transaction, accountId, by);
      const where = { accountId_provider: { accountId, provider } };
      const before = await transaction.ownKey.findUnique({ where });
      const row = { ...given, setAt: new Date(), setBy: actor };
      const key = await transaction.ownKey.upsert({
        where,
        create: { accountId, provider, ...row },
        update: row,
      });
      await change.touchKeys(await keyIdsOf(transaction, accountId));
      const detail = { provider, replaced: before !== null };
      await change.audit({ actor, action: 'own-key-set', accountId, detail });
      return { key: told(key, taking) };
    });
  }

  @Serve(ownKeyOperations.remove)
  remove({ account, by, actor, provider }: Served['remove']['request']): Promise<Served['remove']['reply']> {
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const { id: accountId } = await findAccount(transaction, account);
      await requireMay(transaction, accountId, by);
      const { count } = await transaction.ownKey.deleteMany({ where: { accountId, provider } });
      if (count === 0) throw new ControlError('not_found', `The account has no own key of ${provider}.`);
      await change.touchKeys(await keyIdsOf(transaction, accountId));
      await change.audit({ actor, action: 'own-key-removed', accountId, detail: { provider } });
      return {};
    });
  }

  @Serve(ownKeySealingOperations.former)
  former({ sealing, after }: ServedSealing['former']['request']): Promise<ServedSealing['former']['reply']> {
    const behind = after && {
      OR: [{ accountId: { gt: after.accountId } }, { accountId: after.accountId, provider: { gt: after.provider } }],
    };
    return this.storage.read(async (queries) => {
      const rows = await queries.ownKey.findMany({
        where: { NOT: { sealed: { startsWith: `${sealing}.` } }, ...behind },
        orderBy: [{ accountId: 'asc' }, { provider: 'asc' }],
        take: formerAtOnce,
        include: { account: { select: { email: true } } },
      });
      const keys = rows.map(({ account, ...key }) => ({ ...key, account: account.email }));
      const last = rows.length < formerAtOnce ? undefined : rows.at(-1);
      return { keys, next: last ? { accountId: last.accountId, provider: last.provider } : null };
    });
  }

  @Serve(ownKeySealingOperations.keep)
  keep({ keys }: ServedSealing['keep']['request']): Promise<ServedSealing['keep']['reply']> {
    const all = <Name extends keyof (typeof keys)[number]>(name: Name) => keys.map((key) => key[name]);
    // In one statement: every other change waits for it.
    return this.changes.commit(async (change) => {
      const kept = await change.transaction.$queryRaw<{ accountId: string }[]>`
        UPDATE own_key SET sealed = again.sealed
        FROM unnest(
          ${all('accountId')}::uuid[], ${all('provider')}::text[], ${all('before')}::text[], ${all('sealed')}::text[]
        ) AS again (account_id, provider, before, sealed)
        WHERE own_key.account_id = again.account_id AND own_key.provider = again.provider
          AND own_key.sealed = again.before
        RETURNING own_key.account_id AS "accountId"`;
      const changed = new Set(kept.map(({ accountId }) => accountId));
      await change.touchKeys(await keyIdsOf(change.transaction, ...changed));
      return { kept: kept.length };
    });
  }

  /** Nobody waits for a catalog that is not there. @throws ControlError `unavailable` then. */
  private taking(): Promise<Taking> {
    return this.control.call(ownKeyProviderOperations.list, {}, { absentMs: 0 });
  }
}

/** @throws ControlError `invalid` for what no request could go with. */
function requireFit(
  { sealing, providers }: Taking,
  { provider, baseUrl, sealed }: { provider: string; baseUrl: string; sealed: string },
): void {
  const taker = providers.find(({ id }) => id === provider);
  if (!taker) throw new ControlError('invalid', `${provider} takes no keys of accounts here.`);
  if (taker.baseUrl !== baseUrl)
    throw new ControlError('invalid', `${provider} is at ${taker.baseUrl}, and the key was sealed for ${baseUrl}.`);
  if (!sealing || !sealed.startsWith(`${sealing.id}.`))
    throw new ControlError('invalid', 'The key is sealed with another key than inference tells now. It is not kept.');
}

/**
 * Lets somebody change own keys whose role allows it now. `by` undefined: the operator.
 * @throws ControlError `forbidden`.
 */
async function requireMay(queries: AccountsQueries, accountId: string, by: string | undefined): Promise<void> {
  if (by === undefined) return;
  const role = await roleOf(queries, accountId, by);
  if (!role || !mayInAccount(role, 'own-keys'))
    throw new ControlError('forbidden', 'Only owners and administrators of the account bring keys for it.');
}

function told(key: StoredOwnKey, taking: Taking): OwnKey {
  const { provider, lastFour, setAt, setBy } = key;
  return { provider, lastFour, setAt: setAt.getTime(), setBy, problem: problemOf(key, taking) };
}

function problemOf({ provider, baseUrl, sealed }: StoredOwnKey, { providers, opens }: Taking): string | null {
  const taker = providers.find(({ id }) => id === provider);
  if (!taker)
    return 'This gateway does not reach the provider with keys of accounts now: requests for its models are refused.';
  if (taker.baseUrl !== baseUrl)
    return `The provider is at ${taker.baseUrl} now: requests for its models are refused until the key is given again.`;
  if (opens && !opens.some((id) => sealed.startsWith(`${id}.`)))
    return 'The gateway cannot open the key any more (its key-encryption key is another one): requests for its models are refused until the key is given again.';
  return null;
}
