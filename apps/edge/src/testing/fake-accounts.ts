import { apiKeyDigest, createApiKey } from '@tollgate/contracts';
import { accountsOperations, accountsSubjects, callerKey as callerKeySchema } from '@tollgate/contracts/accounts';
import type { CallerKey, Projects } from '@tollgate/contracts/accounts';
import { publishJson } from '@tollgate/messaging';
import type { NatsConnection, Subscription } from 'nats';
import { respond } from './control-responder';

/** Key records for tests; `id` says which key it is. */
export function callerKey(changes: Partial<CallerKey> = {}): CallerKey {
  const key = {
    id: 'key-1',
    accountId: 'account-1',
    version: 1,
    name: 'test',
    keyStatus: 'active',
    accountStatus: 'active',
    plan: 'beta',
    rpm: null,
    quotaTokens: null,
    models: [],
    expiresAt: null,
    ...changes,
  };
  return callerKeySchema.parse(key);
}

/** Accounts as an edge sees it: keys by digest, changes, heartbeats. */
export class FakeAccounts {
  lookups = 0;
  revision = 0;
  private readonly keys = new Map<string, CallerKey>();
  private responder: Subscription | null = null;
  private heart: NodeJS.Timeout | null = null;

  constructor(
    private readonly connection: NatsConnection,
    private readonly pepper: string,
  ) {}

  start(): void {
    this.responder = respond(this.connection, accountsOperations.resolveKey, ({ digest }) => {
      this.lookups += 1;
      return { key: this.keys.get(digest) ?? null, revision: this.revision };
    });
    this.beat();
    this.heart = setInterval(() => this.beat(), 1_000);
  }

  stop(): void {
    this.responder?.unsubscribe();
    if (this.heart) clearInterval(this.heart);
  }

  /** Makes a key that works; returns the key itself. */
  create(changes: Partial<CallerKey> = {}): string {
    const apiKey = createApiKey('tg');
    this.change(apiKey, callerKey({ id: `key-${this.keys.size + 1}`, ...changes }));
    return apiKey;
  }

  /** Changes a key and tells it; `silently` as if the notice was lost. */
  change(apiKey: string, changes: Partial<CallerKey>, silently = false): void {
    const digest = apiKeyDigest(apiKey, this.pepper);
    this.revision += 1;
    const key = { ...(this.keys.get(digest) ?? callerKey()), ...changes, version: this.revision };
    this.keys.set(digest, key);
    if (!silently) publishJson(this.connection, accountsSubjects.keyChanged, { revision: this.revision, digest, key });
  }

  /** The projects of an account, each with the keys that are of it. */
  projectsOf(accountId: string): Projects {
    const own = [...this.keys.values()].filter((key) => key.accountId === accountId);
    const names = new Set(own.flatMap(({ project }) => project ?? []));
    return [...names].map((name) => ({
      name,
      keyIds: own.filter(({ project }) => project === name).map(({ id }) => id),
    }));
  }

  /** The digest of a key of this account (of any, where none is named); null: there is none. */
  digestOf(keyId: string, accountId?: string): string | null {
    for (const [digest, key] of this.keys)
      if (key.id === keyId && (accountId === undefined || key.accountId === accountId)) return digest;
    return null;
  }

  beat(): void {
    publishJson(this.connection, accountsSubjects.heartbeat, { revision: this.revision });
  }
}
