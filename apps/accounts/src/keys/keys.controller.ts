import { Controller } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { accountsOperations, toWireKey } from '@tollgate/contracts/accounts';
import { isUuid } from '@tollgate/database';
import { Serve } from '@tollgate/messaging';
import { findAccount, operatorAccount } from '../accounts/account-rows';
import type { StoredAccount } from '../accounts/stored-account';
import type { Reply, Request } from '../operations';
import { addSuccessor } from '../budgets/budget-rows';
import { addToProject, changeProject, moveSums, projectsOf } from '../budgets/project-budgets';
import { findMember } from '../members/member-rules';
import { AccountsSettings } from '../settings';
import { Storage } from '../storage';
import { Changes, type Change } from './changes';
import { findKey, findKeyByDigest, insertKey, pageOfKeys, updateKey, requireRoomForKey } from './key-rows';
import { KeyRehash } from './key-rehash';
import { renameProject } from './rename-project';
import { readRevision } from './revision';
import {
  columnsOf,
  toAuditDetail,
  toCallerKey,
  toColumns,
  toKeySummary,
  toldSettings,
  type StoredKey,
} from './stored-key';

/**
 * The operations on API keys. All throw ControlError `unavailable` when the database is away, those on one
 * key `not_found`.
 */
@Controller()
export class KeysController {
  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
    private readonly rehash: KeyRehash,
    private readonly settings: AccountsSettings,
  ) {}

  /**
   * A key of any state, for edges: whether it may be used is theirs to decide. `key` null: no key has this
   * digest.
   */
  @Serve(accountsOperations.resolveKey)
  resolve({ digest, formerDigests = [] }: Request<'resolveKey'>): Promise<Reply<'resolveKey'>> {
    return this.storage.read(async (queries) => {
      // The revision first: the key may then be newer than it says, never older.
      const { revision, plans } = await readRevision(queries);
      const key = await findKeyByDigest(queries, [digest, ...formerDigests].filter(isDigest));
      // Nobody waits for the new digest to be stored: until then the key is found by its former one again.
      if (key && key.digest !== digest && isDigest(digest)) this.rehash.later(key.id, key.digest, digest);
      return { key: key && toWireKey(toCallerKey(key, plans)), revision };
    });
  }

  /**
   * Makes a key for an account that is active or waits for approval. The reply is the only place where the
   * key itself ever stands.
   * @throws ControlError `invalid` (unknown plan, a time that has passed), `not_found` (no such account or
   * person), `conflict` (suspended or declined, as many keys as may work).
   */
  @Serve(accountsOperations.createKey)
  async create(request: Request<'createKey'>): Promise<Reply<'createKey'>> {
    const { accountId: id, email, personId, actor, name, ...asked } = request;
    requireFuture(asked.expiresAt);
    return this.changes.commit(async (change) => {
      const { transaction, plans } = change;
      if (asked.plan !== undefined) plans.requireKnown(asked.plan);
      const account = await accountForKey(change, id ?? email, actor);
      const { id: accountId } = account;
      await requireRoomForKey(transaction, this.settings, account);
      if (personId !== undefined) await findMember(transaction, accountId, personId);
      const made = await insertKey(transaction, this.settings, { accountId, personId, ...toColumns(asked), name });
      await addToProject(transaction, made.id, { accountId, project: asked.project ?? null });
      await change.touchKeys([made.id]);
      const stored = await findKey(transaction, made.id);
      const key = toKeySummary(stored, plans);
      const { rpm = null, tpm = null, quotaTokens = null } = asked;
      const detail = {
        name,
        plan: key.plan,
        rpm,
        tpm,
        quotaTokens,
        ...toldSettings(stored),
        person: key.person?.name ?? null,
      };
      await change.audit({ actor, action: 'key-created', accountId, keyId: made.id, detail });
      return { apiKey: made.apiKey, key };
    });
  }

  /**
   * Makes a key with the settings of another, which goes on for `overlapS` seconds, though never longer than
   * it would have. With no overlap it is revoked, so that no clock decides.
   * @throws ControlError `conflict` when the old key does not work any more, or both may not work beside the
   * others of the account.
   */
  @Serve(accountsOperations.rotateKey)
  rotate({ keyId, overlapS, actor, ...whose }: Request<'rotateKey'>): Promise<Reply<'rotateKey'>> {
    return this.changes.commit(async (change) => {
      const { transaction, plans } = change;
      const old = await findKey(transaction, keyId, whose);
      const nowMs = Date.now();
      requireUsable(old, nowMs);
      if (overlapS > 0) await this.requireRoom(change, old, 'rotate this one without an overlap');
      const { apiKey, id } = await insertKey(transaction, this.settings, columnsOf(old));
      await updateKey(transaction, old.id, ending(old, nowMs, overlapS));
      await addSuccessor(transaction, old.id, id);
      await change.touchKeys([id, old.id]);
      const [key, oldKey] = [await findKey(transaction, id), await findKey(transaction, old.id)];
      const detail = { newKeyId: id, overlapS };
      await change.audit({ actor, action: 'key-rotated', accountId: old.accountId, keyId: old.id, detail });
      return { apiKey, key: toKeySummary(key, plans), oldKey: toKeySummary(oldKey, plans) };
    });
  }

  /** Revokes a key. Doing so again changes nothing. */
  @Serve(accountsOperations.revokeKey)
  revoke({ keyId, actor, ...whose }: Request<'revokeKey'>): Promise<Reply<'revokeKey'>> {
    return this.changes.commit(async (change) => {
      const { transaction, plans } = change;
      const key = await findKey(transaction, keyId, whose);
      if (key.status === 'revoked') return { key: toKeySummary(key, plans) };
      await updateKey(transaction, keyId, { status: 'revoked' });
      await change.touchKeys([keyId]);
      await change.audit({ actor, action: 'key-revoked', accountId: key.accountId, keyId, detail: { name: key.name } });
      return { key: toKeySummary(await findKey(transaction, keyId), plans) };
    });
  }

  /**
   * Changes what is set of a key, or its name; edges know within a second.
   * @throws ControlError `invalid` (unknown plan, a time that has passed), `conflict` (the key is revoked, or
   * the last of a project that has a budget; it had expired, and as many as may work do).
   */
  @Serve(accountsOperations.updateKey)
  async update({ keyId, accountId, personId, actor, ...asked }: Request<'updateKey'>): Promise<Reply<'updateKey'>> {
    requireFuture(asked.expiresAt);
    return this.changes.commit(async (change) => {
      const { transaction, plans } = change;
      if (typeof asked.plan === 'string') plans.requireKnown(asked.plan);
      const before = await findKey(transaction, keyId, { accountId, personId });
      if (before.status === 'revoked')
        throw new ControlError('conflict', `The key ${before.display} is revoked, so that it cannot be changed.`);
      if (!isUsable(before, Date.now()) && asked.expiresAt !== undefined) await this.requireRoom(change, before);
      await updateKey(transaction, keyId, toColumns(asked));
      const move = asked.project === undefined ? null : await changeProject(transaction, before, asked.project);
      await change.touchKeys([keyId]);
      const after = await findKey(transaction, keyId);
      const was = Object.entries(toAuditDetail(before)).map(([name, value]) => [`${name}Before`, value] as const);
      const detail = { ...toAuditDetail(after), ...Object.fromEntries(was) };
      await change.audit({ actor, action: 'key-changed', accountId: before.accountId, keyId, detail });
      if (move) await moveSums(transaction, move);
      return { key: toKeySummary(after, plans) };
    });
  }

  /** See `renameProject`. Edges know within a second. */
  @Serve(accountsOperations.renameProject)
  renameProject(asked: Request<'renameProject'>): Promise<Reply<'renameProject'>> {
    return this.changes.commit((change) => renameProject(change, asked));
  }

  @Serve(accountsOperations.getKey)
  get({ keyId, ...whose }: Request<'getKey'>): Promise<Reply<'getKey'>> {
    return this.storage.read(async (queries) => {
      const { plans } = await readRevision(queries);
      return { key: toKeySummary(await findKey(queries, keyId, whose), plans) };
    });
  }

  @Serve(accountsOperations.keyDigest)
  digest({ keyId, ...whose }: Request<'keyDigest'>): Promise<Reply<'keyDigest'>> {
    return this.storage.read(async (queries) => ({ digest: (await findKey(queries, keyId, whose)).digest }));
  }

  /** @throws ControlError `invalid` when what is given as an id is none, or the projects have too many keys. */
  @Serve(accountsOperations.projects)
  projects(asked: Request<'projects'>): Promise<Reply<'projects'>> {
    if (!isUuid(asked.accountId))
      throw new ControlError('invalid', 'accountId: give the id that the list of accounts shows.');
    return this.storage.read(async (queries) => ({ projects: await projectsOf(queries, asked) }));
  }

  /**
   * One page of keys, the newest first. No account, no keys.
   * @throws ControlError `invalid` when what is given as an id is none.
   */
  @Serve(accountsOperations.listKeys)
  async list({ accountId, endsBy, madeBy, ...wish }: Request<'listKeys'>): Promise<Reply<'listKeys'>> {
    if (accountId !== undefined && !isUuid(accountId))
      throw new ControlError('invalid', 'accountId: give the id that the list of accounts shows.');
    return this.storage.read(async (queries) => {
      const { plans } = await readRevision(queries);
      const { items, next } = await pageOfKeys(queries, { accountId, endsBy, madeBy }, wish);
      return { keys: items.map((key) => toKeySummary(key, plans)), next };
    });
  }

  /** That one more key may work beside this one and the others. @throws ControlError as `requireRoomForKey`. */
  private requireRoom(
    change: Change,
    { accountId: id, account: { email } }: StoredKey,
    wayOut?: string,
  ): Promise<void> {
    return requireRoomForKey(change.transaction, this.settings, { id, email }, wayOut);
  }
}

function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

function requireFuture(expiresAt: number | null | undefined): void {
  if (typeof expiresAt === 'number' && expiresAt <= Date.now())
    throw new ControlError('invalid', 'expiresAt: this time has passed already.');
}

/**
 * The account that a new key is for: the one named by id or email, else the operator's own, which is made
 * when it is first needed.
 */
async function accountForKey(change: Change, named: string | undefined, actor: string): Promise<StoredAccount> {
  const account =
    named === undefined ? await operatorAccount(change, actor) : await findAccount(change.transaction, named);
  if (account.status === 'active' || account.status === 'pending') return account;
  throw new ControlError('conflict', `The account of ${account.email} is ${account.status}. Approve it first.`);
}

function isUsable({ status, expiresAt }: StoredKey, nowMs: number): boolean {
  return status === 'active' && (expiresAt === null || expiresAt.getTime() > nowMs);
}

function requireUsable(key: StoredKey, nowMs: number): void {
  if (isUsable(key, nowMs)) return;
  const state = key.status === 'active' ? 'has expired' : 'is revoked';
  throw new ControlError(
    'conflict',
    `The key ${key.display} ${state}, so that it cannot be rotated. Create a new one.`,
  );
}

function ending({ expiresAt }: StoredKey, nowMs: number, overlapS: number) {
  if (overlapS === 0) return { status: 'revoked' as const };
  const endMs = nowMs + overlapS * 1_000;
  return { expiresAt: new Date(Math.min(endMs, expiresAt?.getTime() ?? endMs)) };
}
