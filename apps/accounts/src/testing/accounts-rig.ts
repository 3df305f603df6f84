import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  accountsHeartbeat,
  accountsOperations,
  accountsSubjects,
  apiKeyDigest,
  keyChanged,
  type CallerKey,
  type KeyChanged,
} from '@tollgate/contracts';
import { createDatabase, type Database } from '@tollgate/database';
import { connectToNats, ControlClient, subscribeJson } from '@tollgate/messaging';
import { startNatsServer, startPostgres, type NatsServer, type PostgresServer } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import type { z } from 'zod';
import { AccountsService } from '../accounts-service';
import type { AccountsSettings } from '../settings';

type Operations = typeof accountsOperations;
type Asked<Name extends keyof Operations> = z.input<Operations[Name]['request']>;
type Answer<Name extends keyof Operations> = z.output<Operations[Name]['reply']>;

/** Real servers, accounts instances on them, and an edge's view: what was told, in the order it came. */
export class AccountsRig {
  readonly pepper = randomBytes(24).toString('hex');
  /** Everything edges heard: changes, and the revisions of heartbeats. */
  readonly changes: KeyChanged[] = [];
  readonly heartbeats: number[] = [];
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

  static async start(): Promise<AccountsRig> {
    const [nats, postgres] = await Promise.all([startNatsServer(), startPostgres()]);
    const connection = await connectToNats({ url: nats.url, name: 'spec' });
    const database = createDatabase(postgres.url, 'accounts');
    const rig = new AccountsRig(nats, postgres, database, connection, new ControlClient(connection));
    try {
      await rig.startInstance();
      return rig;
    } catch (error) {
      await rig.stop();
      throw error;
    }
  }

  /** Starts one more instance of accounts. */
  async startInstance(changes: Partial<AccountsSettings> = {}): Promise<AccountsService> {
    const instance = new AccountsService({
      natsUrl: this.nats.url,
      databaseUrl: this.postgres.url,
      keyPepper: this.pepper,
      keyPrefix: 'tg',
      configFile: undefined,
      logLevel: 'fatal',
      internalHost: '127.0.0.1',
      internalPort: 0,
      ...changes,
    });
    this.instances.push(instance);
    await instance.start();
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
    const operation: { subject: string; request: z.ZodType; reply: z.ZodType } = accountsOperations[name];
    // The map's union of operations loses which reply belongs to which request.
    return this.client.call(operation, request, { timeoutMs: 10_000 }) as Promise<Answer<Name>>;
  }

  /** What an edge gets when a caller shows this key. */
  async resolve(apiKey: string): Promise<CallerKey | null> {
    return (await this.ask('resolveKey', { digest: apiKeyDigest(apiKey, this.pepper) })).key;
  }

  /** Asks for access and lets the account in. */
  async activeAccount(email: string, plan = 'pro'): Promise<Answer<'requestAccess'>['account']> {
    await this.ask('requestAccess', { name: email, email });
    return (await this.ask('setAccountStatus', { account: email, status: 'active', plan })).account;
  }
}

/** Waits until `holds`, at most `withinMs`. @throws Error when it does not come true. */
export async function eventually(holds: () => boolean | Promise<boolean>, withinMs = 5_000): Promise<void> {
  for (const end = Date.now() + withinMs; ; await delay(20)) {
    if (await holds()) return;
    if (Date.now() > end) throw new Error(`not true within ${withinMs} ms: ${holds.toString()}`);
  }
}
