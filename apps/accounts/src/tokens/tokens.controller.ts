import { Controller } from '@nestjs/common';
import {
  apiKeyDigest,
  apiKeyDisplay,
  ControlError,
  createAdminToken,
  uuidv7,
  type ServedBy,
} from '@tollgate/contracts';
import { adminTokenOperations, directoryScope, type AdminToken } from '@tollgate/contracts/accounts';
import { isUuid } from '@tollgate/database';
import { Serve } from '@tollgate/messaging';
import { findAccount, operatorAccount } from '../accounts/account-rows';
import { Changes, type Change } from '../keys/changes';
import { AccountsSettings } from '../settings';
import { readPage, Storage, type AccountsQueries } from '../storage';
import { makersRevokedAt, requireFewMade, revokeMadeBy } from './tokens-of-tokens';

type Served = ServedBy<typeof adminTokenOperations>;

/** When a token was used last is exact to this, so that not every request writes. */
const usedEveryMs = 60_000;

/** A token as the database holds it, without its digest. */
interface StoredToken extends Omit<AdminToken, 'createdAt' | 'expiresAt' | 'lastUsedAt' | 'revokedAt'> {
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

/** The operations on admin tokens. All throw ControlError `unavailable` when the database is away. */
@Controller()
export class TokensController {
  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly settings: AccountsSettings,
  ) {}

  /** The reply is the only place where the token itself ever stands. @throws ControlError `invalid`. */
  @Serve(adminTokenOperations.create)
  create({ account, ...wish }: Served['create']['request']): Promise<Served['create']['reply']> {
    requireScopesThatAgree(wish.scopes, account);
    requireToCome(wish.expiresAt);
    return this.changes.commit(async (change) => {
      const directory = account === undefined ? null : await findAccount(change.transaction, account);
      return this.make(change, wish, { accountId: directory?.id ?? null, madeById: null });
    });
  }

  /**
   * @throws ControlError `invalid`; `forbidden` for more than its maker has, or where that works no more;
   * `conflict` where tokens made too many.
   */
  @Serve(adminTokenOperations.createUnder)
  createUnder({ under, ...wish }: Served['createUnder']['request']): Promise<Served['createUnder']['reply']> {
    requireToCome(wish.expiresAt);
    return this.changes.commit(async (change) => {
      const maker = isUuid(under) ? await change.transaction.adminToken.findUnique({ where: { id: under } }) : null;
      requireNoMore(wish, maker && (await asItWorks(change.transaction, maker)));
      await requireFewMade(change.transaction);
      return this.make(change, wish, { accountId: null, madeById: under });
    });
  }

  private async make(
    change: Change,
    { name, scopes, expiresAt, actor }: Omit<Served['create']['request'], 'account'>,
    owner: { accountId: string | null; madeById: string | null },
  ): Promise<Served['create']['reply']> {
    const token = createAdminToken(this.settings.keyPrefix);
    const stored = await change.transaction.adminToken.create({
      data: {
        id: uuidv7(),
        digest: apiKeyDigest(token, this.settings.keyPepper),
        display: apiKeyDisplay(token),
        name,
        scopes: [...new Set(scopes)],
        ...owner,
        createdBy: actor,
        createdAt: new Date(),
        expiresAt: expiresAt === null ? null : new Date(expiresAt),
      },
    });
    const accountId = owner.accountId ?? (await operatorAccount(change, actor)).id;
    const detail = { tokenId: stored.id, name, display: stored.display, scopes: stored.scopes, expiresAt };
    await change.audit({ actor, action: 'token-created', accountId, detail });
    return { token, adminToken: told(stored) };
  }

  /** @throws ControlError `invalid` for a wrong cursor. */
  @Serve(adminTokenOperations.list)
  async list(wish: Served['list']['request']): Promise<Served['list']['reply']> {
    const { items, next } = await this.storage.read(({ adminToken }) =>
      readPage(wish, ({ id, ...page }) => adminToken.findMany({ where: { id }, ...page })),
    );
    return { tokens: items.map(told), next };
  }

  /** @throws ControlError `not_found`. */
  @Serve(adminTokenOperations.revoke)
  revoke({ tokenId: id, actor }: Served['revoke']['request']): Promise<Served['revoke']['reply']> {
    return this.changes.commit(async (change) => {
      const { adminToken } = change.transaction;
      const before = isUuid(id) ? await adminToken.findUnique({ where: { id } }) : null;
      if (!before) throw new ControlError('not_found', `There is no token with the id ${JSON.stringify(id)}.`);
      if (before.revokedAt !== null) return { adminToken: told(before) };
      const after = await adminToken.update({ where: { id }, data: { revokedAt: new Date() } });
      const { id: accountId } = await operatorAccount(change, actor);
      const gone = [after, ...(await revokeMadeBy(change.transaction, id))];
      const line = { actor, action: 'token-revoked', accountId };
      await change.audit(
        ...gone.map(({ id: tokenId, name, display }) => ({ ...line, detail: { tokenId, name, display } })),
      );
      return { adminToken: told(after) };
    });
  }

  @Serve(adminTokenOperations.resolve)
  resolve({ digests }: Served['resolve']['request']): Promise<Served['resolve']['reply']> {
    return this.storage.read(async (queries) => {
      const { adminToken } = queries;
      const stored = await adminToken.findFirst({ where: { digest: { in: digests } } });
      if (!stored) return { adminToken: null };
      const found = await asItWorks(queries, stored);
      const { id, lastUsedAt, revokedAt, expiresAt } = found;
      const [digest = found.digest] = digests;
      const now = new Date();
      const works = revokedAt === null && (expiresAt === null || expiresAt > now);
      if (works && (digest !== found.digest || now.getTime() - (lastUsedAt?.getTime() ?? 0) >= usedEveryMs))
        await adminToken.updateMany({ where: { id }, data: { digest, lastUsedAt: now } });
      return { adminToken: told(found) };
    });
  }
}

/**
 * The scope of a directory goes with an account and with no other scope.
 * @throws ControlError `invalid`.
 */
function requireScopesThatAgree(scopes: readonly string[], account: string | undefined): void {
  if (scopes.includes(directoryScope) !== (account !== undefined))
    throw new ControlError('invalid', `account: goes with the scope ${directoryScope}, and that with it.`);
  if (account !== undefined && scopes.some((scope) => scope !== directoryScope))
    throw new ControlError('invalid', `scopes: a token with ${directoryScope} has no other.`);
}

/** @throws ControlError `invalid`. */
function requireToCome(expiresAt: number | null): void {
  if (expiresAt !== null && expiresAt <= Date.now())
    throw new ControlError('invalid', 'expiresAt: this time has passed already.');
}

/** @throws ControlError `forbidden` for more scopes, or a later end, than the token has that makes another. */
function requireNoMore(
  { scopes, expiresAt }: Pick<Served['createUnder']['request'], 'scopes' | 'expiresAt'>,
  maker: Pick<StoredToken, 'scopes' | 'expiresAt' | 'revokedAt'> | null,
): void {
  const end = maker?.expiresAt?.getTime() ?? null;
  if (!maker || maker.revokedAt !== null || (end !== null && end <= Date.now()))
    throw new ControlError('forbidden', 'The token that makes another works no more.');
  const more = scopes.filter((scope) => !maker.scopes.includes(scope));
  if (more.length > 0)
    throw new ControlError('forbidden', `scopes: a token gives what it has itself, and not ${more.join(', ')}.`);
  if (end !== null && (expiresAt === null || expiresAt > end))
    throw new ControlError(
      'forbidden',
      `expiresAt: a token makes none that ends after itself, which is at ${new Date(end).toISOString()}.`,
    );
}

/** A token that counts as revoked from when one was of those that led to it. */
async function asItWorks<Token extends Pick<StoredToken, 'id' | 'revokedAt'> & { madeById: string | null }>(
  queries: Pick<AccountsQueries, '$queryRaw'>,
  token: Token,
): Promise<Token> {
  if (token.madeById === null || token.revokedAt !== null) return token;
  return { ...token, revokedAt: await makersRevokedAt(queries, token.madeById) };
}

function told({ id, name, display, scopes, accountId, createdBy, ...times }: StoredToken): AdminToken {
  const { createdAt, expiresAt, lastUsedAt, revokedAt } = times;
  return {
    ...{ id, name, display, scopes, accountId, createdBy },
    createdAt: createdAt.getTime(),
    expiresAt: expiresAt?.getTime() ?? null,
    lastUsedAt: lastUsedAt?.getTime() ?? null,
    revokedAt: revokedAt?.getTime() ?? null,
  };
}
