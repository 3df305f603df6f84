import { randomBytes } from 'node:crypto';
import {
  accountsHeartbeat,
  accountsOperations,
  accountsSubjects,
  administrationOperations,
  peopleOperations,
  apiKeyDigest,
  keyChanged,
  type CallerKey,
  type KeyChanged,
} from '@tollgate/contracts';
import { createDatabase, type Database } from '@tollgate/database';
import { connectToNats, ControlClient, subscribeJson } from '@tollgate/messaging';
import { eventually, type NatsServer, type PostgresServer, startNatsServer, startPostgres } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import type { z } from 'zod';
import { AccountsService } from '../accounts-service';
import { PeopleSettings } from '../people/people-settings';
import type { AccountsSettings } from '../settings';

const operations = { ...accountsOperations, ...peopleOperations, ...administrationOperations };
type Operations = typeof operations;
type Asked<Name extends keyof Operations> = z.input<Operations[Name]['request']>;
type Answer<Name extends keyof Operations> = z.output<Operations[Name]['reply']>;

/** Real servers, accounts instances on them, and an edge's view: what was told, in the order it came. */
export class AccountsRig {
  readonly pepper = randomBytes(24).toString('hex');
  /** Everything edges heard: changes, and the revisions of heartbeats. */
  readonly changes: KeyChanged[] = [];
  readonly heartbeats: number[] = [];
  /** The address of health and metrics of the instance that was started last. */
  internalUrl = '';
  private readonly instances: AccountsService[] = [];

  private constructor(
    readonly nats: NatsServer,
    readonly postgres: PostgresServer,
    readonly database: Database<'accounts'>,
    readonly connection: NatsConnection,
    private readonly client: ControlClient,
  ) {
    subscribeJson(connection, accountsSubjects.keyChanged, keyChanged, (change) => void this.changes.push(change));
    subscribeJson(connection, accountsSubjects.heartbeat, accountsHeartbeat, ({ revision }) => {
      this.heartbeats.push(revision);
    });
  }

  /** `changes` are to the settings of its first instance. */
  static async start(changes: Partial<AccountsSettings> = {}): Promise<AccountsRig> {
    const [nats, postgres] = await Promise.all([startNatsServer(), startPostgres()]);
    const connection = await connectToNats({ url: nats.url, name: 'spec' });
    const database = createDatabase(postgres.url, 'accounts');
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
  async startInstance(changes: Partial<AccountsSettings> = {}): Promise<AccountsService> {
    const instance = new AccountsService({
      nats: { url: this.nats.url },
      databaseUrl: this.postgres.url,
      directDatabaseUrl: null,
      keyPepper: this.pepper,
      keyPrefix: 'tg',
      configFile: undefined,
      people: peopleSettings(),
      logLevel: 'fatal',
      internalHost: '127.0.0.1',
      internalPort: 0,
      ...changes,
    });
    this.instances.push(instance);
    this.internalUrl = `http://127.0.0.1:${await instance.start()}`;
    return instance;
  }

  async stop(): Promise<void> {
    await Promise.all(this.instances.map((instance) => instance.stop()));
    await this.database.$disconnect();
    await this.connection.close();
    await this.nats.stop();
    await this.postgres.stop();
  }

  /** Asks accounts as any other service would, with the patience that a busy machine needs: sixty changes at once wait for one another. */
  ask<Name extends keyof Operations>(name: Name, request: Asked<Name>): Promise<Answer<Name>> {
    const operation: { subject: string; request: z.ZodType; reply: z.ZodType } = operations[name];
    // The map's union of operations loses which reply belongs to which request.
    return this.client.call(operation, request, { timeoutMs: 10_000 }) as Promise<Answer<Name>>;
  }

  /** What an edge gets when a caller shows this key. The edge hashes keys under `pepper`, and has heard of `former` ones. */
  async resolve(apiKey: string, pepper = this.pepper, former: readonly string[] = []): Promise<CallerKey | null> {
    const [digest = '', ...formerDigests] = [pepper, ...former].map((one) => apiKeyDigest(apiKey, one));
    return (await this.ask('resolveKey', { digest, formerDigests })).key;
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
  return new PeopleSettings('https://tollgate.example', bootstrapSecret, 7 * 86_400_000, 30 * 86_400_000, oidc, smtp);
}

export { eventually };
