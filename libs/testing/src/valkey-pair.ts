import { Redis } from 'ioredis';
import { eventually } from './eventually';
import { startProxyThread } from './proxy-thread';
import type { ProxyThread } from './proxy-thread';
import { startValkey } from './valkey-server';
import type { ValkeyServer } from './valkey-server';

/** How long a replica may take to have all that the primary has. */
const replicaPatienceMs = 30_000;

/** Starts a Valkey and a replica of it. @throws Error when one does not start; nothing is left then. */
export async function startValkeyPair(): Promise<ValkeyPair> {
  const primary = await startValkey();
  let stop = () => primary.stop();
  try {
    const pair = new ValkeyPair(primary, await startProxyThread(primary.port));
    stop = () => pair.stop();
    await pair.rebuildReplica();
    return pair;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A primary and its replica, behind one address. */
export class ValkeyPair {
  private replica: ValkeyServer | null = null;

  constructor(
    private current: ValkeyServer,
    private readonly address: ProxyThread,
  ) {}

  get url(): string {
    return `valkey://127.0.0.1:${this.address.port}`;
  }

  /** The server that is the primary now. */
  get primary(): ValkeyServer {
    return this.current;
  }

  /** Kills the primary, promotes the replica and moves the address. @throws Error when there is none. */
  async failOver(): Promise<void> {
    const former = this.current;
    await former.kill();
    await this.promote();
    await this.address.aim(this.current.port);
    await former.stop();
  }

  /**
   * Has them change their roles while both run. Until `moveAddress` the address leads to the former primary,
   * which takes no writes any more, as a name in DNS that is still remembered.
   * @throws Error when there is no replica.
   */
  async swapRoles(): Promise<void> {
    const former = this.current;
    await this.promote();
    await follow(former, this.current);
    this.replica = former;
  }

  /** New connections lead to the primary; those that stand stay where they are. */
  moveAddress(): Promise<void> {
    return this.address.aimNew(this.current.port);
  }

  /** Starts a new replica of the primary. Resolves when it has all that the primary has. */
  async rebuildReplica(): Promise<void> {
    this.replica = await startValkey();
    await follow(this.replica, this.current);
    await this.replicaHasAll();
  }

  /** Resolves when the replica has all that the primary has. */
  async replicaHasAll(): Promise<void> {
    const { replica } = this;
    const hasAll = async () =>
      replica !== null && /^master_link_status:up/m.test(await say(replica, 'INFO', 'replication'));
    await eventually(hasAll, replicaPatienceMs);
  }

  async stop(): Promise<void> {
    await Promise.all([this.address.close(), this.replica?.stop(), this.current.stop()]);
  }

  private async promote(): Promise<void> {
    const { replica } = this;
    if (!replica) throw new Error('There is no replica.');
    await say(replica, 'REPLICAOF', 'NO', 'ONE');
    this.current = replica;
    this.replica = null;
  }
}

/** @see https://valkey.io/commands/replicaof/ */
async function follow(replica: ValkeyServer, primary: ValkeyServer): Promise<void> {
  await say(replica, 'REPLICAOF', '127.0.0.1', String(primary.port));
}

async function say({ port }: ValkeyServer, command: string, ...words: string[]): Promise<string> {
  const client = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => null });
  try {
    await client.connect();
    return String(await client.call(command, ...words));
  } finally {
    client.disconnect();
  }
}
