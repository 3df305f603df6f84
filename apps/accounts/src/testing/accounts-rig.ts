import { randomBytes } from 'node:crypto';
import { apiKeyDigest, presentedKeyDigest } from '@tollgate/contracts';
import {
  accountsHeartbeat,
  accountsOperations,
  accountsSubjects,
  administrationOperations,
  adminTokenOperations,
  passkeyOperations,
  peopleOperations,
  secondFactorOperations,
  directoryOperations,
  importOperations,
  memberOperations,
  ownKeyOperations,
  ownKeyProviderOperations,
  ownKeySealingOperations,
  webhookOperations,
  keyChanged,
  type CallerKey,
  type KeyChanged,
} from '@tollgate/contracts/accounts';
import { catalogOperations, type CatalogModel, type CatalogSnapshot } from '@tollgate/contracts/catalog';
import { budgetOperations } from '@tollgate/contracts/metering';
import type { Database } from '@tollgate/database';
import { createAccountsDatabase } from '@tollgate/database/accounts';
import { startMigratedPostgres } from '@tollgate/database/testing';
import {
  connectToNats,
  ControlClient,
  serveOperation,
  subscribeJson,
  type NoticeSubscription,
} from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import { aSnapshot, eventually, patience, startNatsServer } from '@tollgate/testing';
import type { NatsServer, PostgresServer } from '@tollgate/testing';
import { Service } from '@tollgate/service';
import type { Type } from '@nestjs/common';
import type { NatsConnection } from 'nats';
import type { z } from 'zod';
import { accounts } from '../accounts.module';
import { AccountsSettings, type PeopleSettings } from '../settings';

const operations = {
  ...accountsOperations,
  ...peopleOperations,
  ...administrationOperations,
  createBudget: budgetOperations.create,
  updateBudget: budgetOperations.update,
  removeBudget: budgetOperations.remove,
  listBudgets: budgetOperations.list,
  budgetNotices: budgetOperations.notices,
  secondFactorState: secondFactorOperations.state,
  beginSecondFactor: secondFactorOperations.begin,
  confirmSecondFactor: secondFactorOperations.confirm,
  renewRecoveryCodes: secondFactorOperations.renewRecoveryCodes,
  removeSecondFactor: secondFactorOperations.remove,
  finishSecondFactor: secondFactorOperations.finish,
  resetSecondFactor: secondFactorOperations.reset,
  listPasskeys: passkeyOperations.list,
  askPasskey: passkeyOperations.ask,
  signInWithPasskey: passkeyOperations.signIn,
  beginPasskey: passkeyOperations.beginAdding,
  addPasskey: passkeyOperations.add,
  renamePasskey: passkeyOperations.rename,
  removePasskey: passkeyOperations.remove,
  listDirectory: directoryOperations.list,
  getDirectoryUser: directoryOperations.get,
  createDirectoryUser: directoryOperations.create,
  changeDirectoryUser: directoryOperations.change,
  removeDirectoryUser: directoryOperations.remove,
  takeImport: importOperations.take,
  listMembers: memberOperations.list,
  invite: memberOperations.invite,
  withdrawInvitation: memberOperations.withdraw,
  setAccountRole: memberOperations.setRole,
  removeMember: memberOperations.remove,
  invited: memberOperations.invited,
  join: memberOperations.join,
  createToken: adminTokenOperations.create,
  createTokenUnder: adminTokenOperations.createUnder,
  listTokens: adminTokenOperations.list,
  revokeToken: adminTokenOperations.revoke,
  resolveToken: adminTokenOperations.resolve,
  doOnce: adminTokenOperations.doOnce,
  createWebhook: webhookOperations.create,
  updateWebhook: webhookOperations.update,
  removeWebhook: webhookOperations.remove,
  listWebhooks: webhookOperations.list,
  testWebhook: webhookOperations.test,
  webhookDeliveries: webhookOperations.deliveries,
  listOwnKeys: ownKeyOperations.list,
  formerOwnKeys: ownKeySealingOperations.former,
  keepOwnKeys: ownKeySealingOperations.keep,
  setOwnKey: ownKeyOperations.set,
  removeOwnKey: ownKeyOperations.remove,
  changeOwnKey: ownKeyOperations.change,
  changeProjectOwnKey: ownKeyOperations.changeForProject,
  setProjectOwnKey: ownKeyOperations.setForProject,
  removeProjectOwnKey: ownKeyOperations.removeForProject,
};
type Operations = typeof operations;
type Asked<Name extends keyof Operations> = z.input<Operations[Name]['request']>;
type Answer<Name extends keyof Operations> = z.output<Operations[Name]['reply']>;

/** Real servers, accounts instances on them, and an edge's view: what was told, in the order it came. */
export class AccountsRig {
  readonly pepper = randomBytes(24).toString('hex');
  /**
   * Everything edges heard: changes, and the revisions of heartbeats. A change that was told twice, as may be
   * on a busy machine, stands here once.
   */
  readonly changes: KeyChanged[] = [];
  readonly heartbeats: number[] = [];
  /** The same heartbeats as a whole. */
  readonly beats: z.output<typeof accountsHeartbeat>[] = [];
  /** The address of health and metrics of the instance that was started last. */
  internalUrl = '';
  private readonly instances: Service<AccountsSettings>[] = [];

  private constructor(
    readonly nats: NatsServer,
    readonly postgres: PostgresServer,
    readonly database: Database<'accounts'>,
    readonly connection: NatsConnection,
    private readonly client: ControlClient,
  ) {
    const heard = new Set<number>();
    subscribeJson(connection, accountsSubjects.keyChanged, keyChanged, (change) => {
      if (!heard.has(change.revision)) this.changes.push(change);
      heard.add(change.revision);
    });
    subscribeJson(connection, accountsSubjects.heartbeat, accountsHeartbeat, (beat) => {
      this.heartbeats.push(beat.revision);
      this.beats.push(beat);
    });
  }

  /** `changes` are to the settings of its first instance. */
  static async start(changes: Partial<AccountsSettings> = {}): Promise<AccountsRig> {
    const [nats, postgres] = await Promise.all([startNatsServer(), startMigratedPostgres()]);
    const connection = await connectToNats({ url: nats.url, name: 'spec' });
    const database = createAccountsDatabase(postgres.url);
    const rig = new AccountsRig(nats, postgres, database, connection, new ControlClient(connection));
    try {
      await rig.startInstance(changes);
      return rig;
    } catch (error) {
      await rig.stop();
      throw error;
    }
  }

  /** Starts one more instance of accounts. */
  async startInstance(changes: Partial<AccountsSettings> = {}): Promise<Service<AccountsSettings>> {
    const settings = new AccountsSettings({
      NATS_URL: this.nats.url,
      DATABASE_URL: this.postgres.url,
      TOLLGATE_KEY_PEPPER: this.pepper,
      LOG_LEVEL: 'fatal',
      INTERNAL_PORT: '0',
    });
    // A busy machine is not one whose Postgres is away.
    const usual = { people: peopleSettings(), connectTimeoutMs: settings.connectTimeoutMs * patience };
    const instance = new Service(accounts, Object.assign(settings, usual, changes));
    this.instances.push(instance);
    this.internalUrl = `http://127.0.0.1:${await instance.start()}`;
    return instance;
  }

  /** One of the classes of the instance that was started last. */
  newest<Class>(type: Type<Class>): Class {
    const instance = this.instances.at(-1);
    if (!instance) throw new Error('no instance was started');
    return instance.get(type);
  }

  async stop(): Promise<void> {
    await Promise.all(this.instances.map((instance) => instance.stop()));
    await this.database.$disconnect();
    await this.connection.close();
    await this.nats.stop();
    await this.postgres.stop();
  }

  /**
   * Asks accounts as any other service would, with the patience that a busy machine needs: changes at once
   * wait for one another.
   */
  ask<Name extends keyof Operations>(name: Name, request: Asked<Name>): Promise<Answer<Name>> {
    const operation: { subject: string; request: z.ZodType; reply: z.ZodType } = operations[name];
    // The map's union of operations loses which reply belongs to which request.
    return this.client.call(operation, request, { timeoutMs: 2_000 * patience }) as Promise<Answer<Name>>;
  }

  /**
   * What an edge gets when a caller shows this key. The edge hashes keys under `pepper`, and has heard of
   * `former` ones.
   */
  async resolve(apiKey: string, pepper = this.pepper, former: readonly string[] = []): Promise<CallerKey | null> {
    const [digest = '', ...formerDigests] = [pepper, ...former].map((one) => presentedKeyDigest(apiKey, one));
    return (await this.ask('resolveKey', { digest, formerDigests })).key;
  }

  /** The same of whoever shows this admin token; null: there is none. */
  async resolveToken(token: string): Promise<Answer<'resolveToken'>['adminToken']> {
    return (await this.ask('resolveToken', { digests: [apiKeyDigest(token, this.pepper)] })).adminToken;
  }

  /** Tells, as catalog does, which providers take keys of accounts. */
  async tellTaking(told: () => z.input<typeof ownKeyProviderOperations.list.reply>): Promise<void> {
    const logger = createLogger('spec', 'silent');
    serveOperation(this.connection, 'catalog', ownKeyProviderOperations.list, () => Promise.resolve(told()), logger);
    await this.connection.flush();
  }

  /** Tells these models, as catalog does, until what it returns is unsubscribed. */
  async tellModels(models: CatalogModel[], more: Partial<CatalogSnapshot> = {}): Promise<NoticeSubscription> {
    const told = () => Promise.resolve(aSnapshot({ models, ...more }));
    const logger = createLogger('spec', 'silent');
    const catalog = serveOperation(this.connection, 'catalog', catalogOperations.snapshot, told, logger);
    await this.connection.flush();
    return catalog;
  }

  /** Asks for access and lets the account in. */
  async activeAccount(email: string, plan = 'pro'): Promise<Answer<'requestAccess'>['account']> {
    await this.ask('requestAccess', { name: email, email });
    return (await this.ask('setAccountStatus', { account: email, status: 'active', plan })).account;
  }
}

export const bootstrapSecret = 'a bootstrap secret for tests';

/** How people sign in during tests: no mail server, no provider, unless `changes` say so. */
export function peopleSettings({
  oidc = null,
  smtp = null,
}: Partial<Pick<PeopleSettings, 'oidc' | 'smtp'>> = {}): PeopleSettings {
  return {
    publicUrl: 'https://tollgate.example',
    bootstrapSecret,
    sessionIdleMs: 7 * 86_400_000,
    sessionMaxMs: 30 * 86_400_000,
    secondFactorRequired: null,
    oidc,
    smtp,
  };
}

export { eventually };
