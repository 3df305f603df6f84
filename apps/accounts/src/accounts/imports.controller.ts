import { Controller } from '@nestjs/common';
import { ControlError, importedKeyDigest, nanoUsdFromDecimal, uuidv7 } from '@tollgate/contracts';
import { importOperations, type ImportCounts } from '@tollgate/contracts/accounts';
import { Serve } from '@tollgate/messaging';
import type { z } from 'zod';
import { accountOfEmail, normalEmail } from './account-rows';
import { addToProject, findKeysOfProject } from '../budgets/project-budgets';
import { limitOf } from '../budgets/stored-limit';
import { Changes, type Change } from '../keys/changes';
import { keyIdsOf } from '../keys/key-rows';
import { noteImportedKeys } from '../keys/revision';
import { toColumns } from '../keys/stored-key';
import { insertPerson, personOfEmail } from '../people/person-rows';
import { AccountsSettings } from '../settings';

type TakeRequest = z.output<typeof importOperations.take.request>;
type Imported = TakeRequest['account'];

/** More budgets than somebody sets by hand: each key of another gateway may have come with one of its own. */
const mostBudgets = 10_000;

/**
 * Takes over what another gateway knew of accounts and keys, so that callers keep their keys. What is there
 * already stays as it is: a second run makes nothing twice, and undoes nothing that was changed here since.
 */
@Controller()
export class ImportsController {
  constructor(
    private readonly changes: Changes,
    private readonly settings: AccountsSettings,
  ) {}

  @Serve(importOperations.take)
  take({ source, account, actor }: TakeRequest): Promise<{ accountId: string; made: ImportCounts }> {
    requireOwnPerson(account);
    return this.changes.commit(async (change) => {
      for (const plan of new Set([account.plan, ...account.keys.flatMap((key) => key.plan ?? [])]))
        change.plans.requireKnown(plan);
      const { accountId, isNew } = await this.takeAccount(change, account);
      const people = await takePerson(change, accountId, account);
      const keyIds = await this.takeKeys(change, accountId, account);
      const budgets = await this.takeBudgets(change, accountId, account);
      await change.touchKeys([...new Set([...keyIds, ...budgets.keyIds])]);
      const made = { accounts: isNew ? 1 : 0, people, keys: keyIds.length, budgets: budgets.made };
      if (Object.values(made).some((count) => count > 0))
        await change.audit({ actor, action: 'imported', accountId, detail: { source, ...made } });
      return { accountId, made };
    });
  }

  private async takeAccount(
    { transaction }: Change,
    { reference, name, suspended, plan }: Imported,
  ): Promise<{ accountId: string; isNew: boolean }> {
    const email = normalEmail(reference);
    const existing = await accountOfEmail(transaction, email);
    if (existing) return { accountId: existing.id, isNew: false };
    const accountId = uuidv7();
    const status = suspended ? ('suspended' as const) : ('active' as const);
    await transaction.account.create({ data: { id: accountId, name, email, purpose: '', status, plan } });
    return { accountId, isNew: true };
  }

  /** The ids of the keys that were made. */
  private async takeKeys({ transaction }: Change, accountId: string, { keys }: Imported): Promise<string[]> {
    const digests = keys.map(({ sha256 }) => this.digestOf(sha256));
    const stored = await transaction.apiKey.findMany({
      where: { digest: { in: digests } },
      select: { digest: true },
    });
    const known = new Set(stored.map(({ digest }) => digest));
    const rows = keys.flatMap(({ sha256, revoked, openingUsd, display, name, ...settings }) => {
      const digest = this.digestOf(sha256);
      if (known.has(digest)) return [];
      known.add(digest);
      const status = revoked ? ('revoked' as const) : ('active' as const);
      const openingNanoUsd = nanoUsdFromDecimal(openingUsd);
      return [{ id: uuidv7(), accountId, digest, display, name, status, openingNanoUsd, ...toColumns(settings) }];
    });
    if (rows.length === 0) return [];
    await transaction.apiKey.createMany({ data: rows });
    for (const { id, project = null } of rows) await addToProject(transaction, id, { accountId, project });
    await noteImportedKeys(transaction);
    return rows.map(({ id }) => id);
  }

  /** How many budgets were made, and the keys that they hold for. */
  private async takeBudgets(
    { transaction }: Change,
    accountId: string,
    { budgets }: Imported,
  ): Promise<{ made: number; keyIds: string[] }> {
    if (budgets.length === 0) return { made: 0, keyIds: [] };
    const held = await transaction.budget.findMany({ where: { accountId }, select: { name: true } });
    // Names of before may have spaces around them.
    const names = new Set(held.map(({ name }) => name.trim()));
    const wanted = budgets.filter(({ name }) => !names.has(name));
    if (wanted.length === 0) return { made: 0, keyIds: [] };
    if (names.size + wanted.length > mostBudgets)
      throw new ControlError('conflict', `An account has at most ${mostBudgets} budgets.`);
    const idByDigest = await this.keyIds(
      { transaction },
      accountId,
      wanted.flatMap(({ keys }) => keys),
    );
    // Budgets are listed by their ids, and those of one millisecond have no order of their own.
    const nowMs = Date.now();
    const rows = [];
    for (const [index, { name, keys, project, window, ...told }] of wanted.entries()) {
      const limit = limitOf(told);
      const { openingUsd, openingTokens } = told;
      const openingNanoUsd = limit.unit === 'tokens' ? BigInt(openingTokens) : nanoUsdFromDecimal(openingUsd);
      const amounts = { ...limit, openingNanoUsd };
      const own = keys.map((sha256) => requireKey(idByDigest.get(this.digestOf(sha256)), name));
      const ofProject = project === undefined ? [] : await findKeysOfProject(transaction, accountId, project);
      // Keys that were here before may be of no project, or of another one: then it is of these keys.
      const known = new Set(ofProject);
      const isWhole = known.size > 0 && own.every((id) => known.has(id));
      const whose = isWhole ? { project, keyIds: ofProject } : { keyIds: own };
      rows.push({ id: uuidv7(nowMs + index), accountId, name, ...whose, window, timeZone: 'UTC', ...amounts });
    }
    await transaction.budget.createMany({ data: rows });
    const isOfAll = rows.some((row) => row.keyIds.length === 0);
    const keyIds = isOfAll ? await keyIdsOf(transaction, accountId) : rows.flatMap((row) => row.keyIds);
    return { made: wanted.length, keyIds };
  }

  private async keyIds(
    { transaction }: Pick<Change, 'transaction'>,
    accountId: string,
    hashes: readonly string[],
  ): Promise<Map<string, string>> {
    const digest = { in: hashes.map((sha256) => this.digestOf(sha256)) };
    const found = await transaction.apiKey.findMany({
      where: { accountId, digest },
      select: { id: true, digest: true },
    });
    return new Map(found.map((key) => [key.digest, key.id]));
  }

  private digestOf(sha256: string): string {
    return importedKeyDigest(sha256, this.settings.keyPepper);
  }
}

/**
 * Whoever may import lets nobody into an account that is another's.
 * @throws ControlError `invalid`.
 */
function requireOwnPerson({ reference, person }: Imported): void {
  if (person && normalEmail(person.email) !== normalEmail(reference))
    throw new ControlError('invalid', 'account.person: who signs in for an account does so with its reference.');
}

/**
 * Makes the person of an account, without a password: a link by mail, or an OpenID provider, lets them in. 0:
 * somebody signs in with the address already.
 */
async function takePerson({ transaction }: Change, accountId: string, { person }: Imported): Promise<0 | 1> {
  if (!person) return 0;
  const email = normalEmail(person.email);
  if (await personOfEmail(transaction, email)) return 0;
  await insertPerson(transaction, { accountId, email, name: person.name });
  return 1;
}

function requireKey(id: string | undefined, budget: string): string {
  if (id !== undefined) return id;
  throw new ControlError('invalid', `The budget ${JSON.stringify(budget)} is of a key that the account does not have.`);
}
