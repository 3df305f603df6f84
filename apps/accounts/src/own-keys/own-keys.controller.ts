import { Controller } from '@nestjs/common';
import { ControlError, type ServedBy } from '@tollgate/contracts';
import {
  mayInAccount,
  ownKeyOperations,
  ownKeyProviderOperations,
  ownKeySealingOperations,
  takesNoOwnKeys,
  type OwnKey,
} from '@tollgate/contracts/accounts';
import { ControlClient, Serve } from '@tollgate/messaging';
import { findAccount } from '../accounts/account-rows';
import { keysOfProject } from '../budgets/project-budgets';
import { Changes } from '../keys/changes';
import { roleOf } from '../members/member-rules';
import { Storage, type AccountsQueries } from '../storage';
import { refusalsOf, usersOfOwnKeys } from './own-key-refusals';
import {
  chooseOfOwnKey,
  dropOwnKey,
  findOwnKey,
  formerOwnKeys,
  keepOwnKey,
  keepSealedAgain,
  keysGoingWith,
  ownKeysOf,
  type StoredOwnKey,
} from './own-key-rows';

type Served = ServedBy<typeof ownKeyOperations>;
type ServedSealing = ServedBy<typeof ownKeySealingOperations>;
type Taking = ServedBy<typeof ownKeyProviderOperations>['list']['reply'];

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
    const { sealing, providers, declining } = taking;
    const { accountId, keys, ofProjects, used } = await this.storage.read(async (queries) => {
      const { id } = await findAccount(queries, account);
      const found = await ownKeysOf(queries, id);
      return { accountId: id, ...found, used: await usersOfOwnKeys(queries, id, found.keys, found.ofProjects) };
    });
    const refusals = await refusalsOf(this.control, used, Date.now());
    const known = (key: StoredOwnKey): OwnKey => {
      const one = told(key, taking);
      return { ...one, problem: one.problem ?? refusals.get(key) ?? null };
    };
    const projectKeys = ofProjects.map((key) => ({ ...known(key), project: key.project }));
    return { sealing, providers, declining, accountId, keys: keys.map(known), projectKeys };
  }

  @Serve(ownKeyOperations.set)
  async set(asked: Served['set']['request']): Promise<Served['set']['reply']> {
    return { key: await this.give(asked, null) };
  }

  @Serve(ownKeyOperations.setForProject)
  async setForProject({
    project,
    ...asked
  }: Served['setForProject']['request']): Promise<Served['setForProject']['reply']> {
    return { key: { ...(await this.give(asked, project)), project } };
  }

  @Serve(ownKeyOperations.remove)
  remove(asked: Served['remove']['request']): Promise<Served['remove']['reply']> {
    return this.take(asked, null);
  }

  @Serve(ownKeyOperations.removeForProject)
  removeForProject({
    project,
    ...asked
  }: Served['removeForProject']['request']): Promise<Served['removeForProject']['reply']> {
    return this.take(asked, project);
  }

  @Serve(ownKeyOperations.change)
  async change(asked: Served['change']['request']): Promise<Served['change']['reply']> {
    return { key: await this.choose(asked, null) };
  }

  @Serve(ownKeyOperations.changeForProject)
  async changeForProject({
    project,
    ...asked
  }: Served['changeForProject']['request']): Promise<Served['changeForProject']['reply']> {
    return { key: { ...(await this.choose(asked, project)), project } };
  }

  @Serve(ownKeySealingOperations.former)
  former(asked: ServedSealing['former']['request']): Promise<ServedSealing['former']['reply']> {
    return this.storage.read(async (queries) => {
      const keys = await formerOwnKeys(queries, { ...asked, limit: formerAtOnce });
      const last = keys.length < formerAtOnce ? undefined : keys.at(-1);
      const next = last && { accountId: last.accountId, provider: last.provider, project: last.project };
      return { keys, next: next ?? null };
    });
  }

  @Serve(ownKeySealingOperations.keep)
  keep({ keys }: ServedSealing['keep']['request']): Promise<ServedSealing['keep']['reply']> {
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const kept = await keepSealedAgain(transaction, keys);
      const owners = kept.map(({ accountId, project }) => ({ accountId, project: project || null }));
      await change.touchKeys(await keysGoingWith(transaction, ...owners));
      return { kept: kept.length };
    });
  }

  /** Keeps one for the account, or for a project of it. */
  private async give(
    { account, by, actor, provider, fallsBack: chosen, ...given }: Served['set']['request'],
    project: string | null,
  ): Promise<OwnKey> {
    const taking = await this.taking();
    requireFit(taking, { provider, ...given });
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const { id: accountId } = await findAccount(transaction, account);
      await requireMay(transaction, accountId, by);
      if (project !== null) await keysOfProject(transaction, accountId, project);
      const before = await findOwnKey(transaction, { accountId, project }, provider);
      const fallsBack = chosen ?? before?.fallsBack ?? false;
      const key = { provider, ...given, fallsBack, setAt: new Date(), setBy: actor };
      await keepOwnKey(transaction, { accountId, project }, key);
      await change.touchKeys(await keysGoingWith(transaction, { accountId, project }));
      const detail = { provider, ...(project !== null && { project }), replaced: before !== null, fallsBack };
      await change.audit({ actor, action: 'own-key-set', accountId, detail });
      return told(key, taking);
    });
  }

  /** Writes what is chosen of one of the account, or of a project of it. */
  private async choose(
    { account, by, actor, provider, fallsBack }: Served['change']['request'],
    project: string | null,
  ): Promise<OwnKey> {
    const taking = await this.taking();
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const { id: accountId } = await findAccount(transaction, account);
      await requireMay(transaction, accountId, by);
      const owner = { accountId, project };
      const key = await findOwnKey(transaction, owner, provider);
      if (!key) throw noOwnKey(project, provider);
      await chooseOfOwnKey(transaction, owner, provider, { fallsBack });
      await change.touchKeys(await keysGoingWith(transaction, owner));
      const detail = { provider, ...(project !== null && { project }), fallsBack };
      await change.audit({ actor, action: 'own-key-changed', accountId, detail });
      return told({ ...key, fallsBack }, taking);
    });
  }

  private take(
    { account, by, actor, provider }: Served['remove']['request'],
    project: string | null,
  ): Promise<Record<string, never>> {
    return this.changes.commit(async (change) => {
      const { transaction } = change;
      const { id: accountId } = await findAccount(transaction, account);
      await requireMay(transaction, accountId, by);
      if (!(await dropOwnKey(transaction, { accountId, project }, provider))) throw noOwnKey(project, provider);
      await change.touchKeys(await keysGoingWith(transaction, { accountId, project }));
      const detail = { provider, ...(project !== null && { project }) };
      await change.audit({ actor, action: 'own-key-removed', accountId, detail });
      return {};
    });
  }

  /** Nobody waits for a catalog that is not there. @throws ControlError `unavailable` then. */
  private taking(): Promise<Taking> {
    return this.control.call(ownKeyProviderOperations.list, {}, { absentMs: 0 });
  }
}

/** @throws ControlError `invalid` for what no request could go with. */
function requireFit(
  taking: Taking,
  { provider, baseUrl, sealed }: { provider: string; baseUrl: string; sealed: string },
): void {
  const { sealing, providers } = taking;
  const taker = providers.find(({ id }) => id === provider);
  if (!taker) throw new ControlError('invalid', takesNoOwnKeys(provider, taking));
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

function noOwnKey(project: string | null, provider: string): ControlError {
  const whose = project === null ? 'account' : `project ${JSON.stringify(project)}`;
  return new ControlError('not_found', `The ${whose} has no own key of ${provider}.`);
}

function told(key: StoredOwnKey, taking: Taking): OwnKey {
  const { provider, lastFour, setAt, setBy, fallsBack } = key;
  return { provider, lastFour, setAt: setAt.getTime(), setBy, problem: problemOf(key, taking), fallsBack };
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
