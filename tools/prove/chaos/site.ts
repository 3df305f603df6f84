import {
  childrenOf,
  newDataFolder,
  startNatsServer,
  startPostgres,
  startProxyThread,
  startValkey,
} from '@tollgate/testing';
import type { NatsServer, PostgresServer, ProxyThread, ValkeyServer } from '@tollgate/testing';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startStack } from '../../stack/stack';
import type { Stack } from '../../stack/stack';
import type { Harm, Part } from './contract';
import { SmallDisk } from './small-disk';

/** Two of what callers must not miss when one dies. */
const instances = { edge: 2, inference: 2 };
/** Services that reach NATS through a link of their own. */
const linked = ['catalog', 'accounts', 'metering', 'inference-2', 'edge-2'] as const;
/** An edge that says nothing for this long gets no requests: what a load balancer does. */
const probeMs = 1_000;
/**
 * What lies at least on the disk of a Postgres that keeps its data there (an account that may not use the
 * folder keeps them elsewhere).
 */
const databaseBytes = 16_777_216;

/** What a site is made of. `disks`: null where it cannot be filled. */
interface Parts {
  dataFolder: string;
  nats: NatsServer;
  postgres: PostgresServer;
  valkey: ValkeyServer;
  links: Partial<Record<Part, ProxyThread>>;
  disks: { nats: SmallDisk | null; postgres: SmallDisk | null };
}

/**
 * A whole Tollgate whose servers are reached through links that can be disturbed, and whose disks can be
 * filled.
 */
export class Site {
  private constructor(
    readonly stack: Stack,
    private readonly parts: Parts,
  ) {}

  /**
   * Starts everything; the services must have been built. `isLinked` false: servers are reached directly,
   * because links would slow a load down. `environment` is for all services.
   */
  static async start(
    onProgress: (line: string) => void,
    isLinked = true,
    environment: NodeJS.ProcessEnv = {},
  ): Promise<Site> {
    const parts = await startParts(newDataFolder('site'), isLinked);
    const { dataFolder, nats, postgres, valkey, links } = parts;
    const stack = await startStack({
      dataFolder,
      onProgress,
      instances,
      natsUrl: through(links.nats, nats.url),
      natsUrls: Object.fromEntries(linked.map((name) => [name, through(links[name], nats.url)])),
      databaseUrl: through(links.postgres, postgres.url),
      environment: { TOLLGATE_SANDBOX: 'on', VALKEY_URL: through(links.valkey, valkey.url), ...environment },
    });
    return new Site(stack, parts);
  }

  get nats(): NatsServer {
    return this.parts.nats;
  }

  get postgres(): PostgresServer {
    return this.parts.postgres;
  }

  get valkey(): ValkeyServer {
    return this.parts.valkey;
  }

  /** The way to a server, or that of a service to NATS. @throws Error where there is none. */
  link(part: Part): ProxyThread {
    const link = this.parts.links[part];
    if (!link) throw new Error(`${part} has no link of its own.`);
    return link;
  }

  /** The disk of a server. @throws Error where it cannot be filled. */
  disk(part: Part): SmallDisk {
    const disk = this.diskOf(part);
    if (!disk) throw new Error(`The disk of ${part} cannot be filled here.`);
    return disk;
  }

  /** Why a disturbance cannot be made on this machine; null: it can. */
  obstacle(part: Part, harm: Harm): string | null {
    if (harm !== 'full') return null;
    const disk = this.diskOf(part);
    if (!disk) return 'only root can mount a small disk, on Linux';
    return part === 'postgres' && disk.usedBytes < databaseBytes ? 'its data are not on the small disk' : null;
  }

  /** The edges that answer at all now: a load balancer sends nothing to the others. */
  async liveEdges(): Promise<string[]> {
    const { baseUrls } = this.stack;
    const answers = await Promise.all(baseUrls.map((url) => isLive(url)));
    return baseUrls.filter((_, index) => answers[index]);
  }

  /** The ids of Postgres's processes. */
  postgresFamily(): number[] {
    return [this.postgres.pid, ...childrenOf(this.postgres.pid)];
  }

  /** `keep` true: databases and logs stay for a look, small disks too. Returns their folder. */
  async stop(keep: boolean): Promise<string> {
    const { dataFolder, nats, postgres, valkey, links, disks } = this.parts;
    await this.stack.stop();
    await Promise.all([nats.stop(), postgres.stop(), valkey.stop()]);
    await Promise.all(Object.values(links).map((link: ProxyThread) => link.close()));
    for (const disk of Object.values(disks))
      if (keep) disk?.keep();
      else disk?.unmount();
    if (!keep) rmSync(dataFolder, { recursive: true, force: true });
    return dataFolder;
  }

  private diskOf(part: Part): SmallDisk | null {
    return part === 'nats' || part === 'postgres' ? this.parts.disks[part] : null;
  }
}

async function startParts(dataFolder: string, isLinked: boolean): Promise<Parts> {
  const folders = {
    nats: join(dataFolder, 'nats'),
    postgres: join(dataFolder, 'postgres'),
    valkey: join(dataFolder, 'valkey'),
  };
  for (const folder of Object.values(folders)) mkdirSync(folder);
  const disks = { nats: SmallDisk.mount(folders.nats), postgres: SmallDisk.mount(folders.postgres) };
  const nats = await startNatsServer({ folder: folders.nats });
  const postgres = await startPostgres({ folder: folders.postgres });
  const valkey = await startValkey({ folder: folders.valkey });
  const links = isLinked ? await startLinks(nats, postgres, valkey) : {};
  return { dataFolder, nats, postgres, valkey, links, disks };
}

async function startLinks(nats: NatsServer, postgres: PostgresServer, valkey: ValkeyServer): Promise<Parts['links']> {
  const toNats = await startProxyThread(nats.port);
  return {
    nats: toNats,
    postgres: await startProxyThread(Number(new URL(postgres.url).port)),
    valkey: await startProxyThread(valkey.port),
    catalog: await startProxyThread(toNats.port),
    accounts: await startProxyThread(toNats.port),
    metering: await startProxyThread(toNats.port),
    'inference-2': await startProxyThread(toNats.port),
    'edge-2': await startProxyThread(toNats.port),
  };
}

async function isLive(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/livez`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(probeMs),
    });
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}

function through(link: ProxyThread | undefined, url: string): string {
  if (!link) return url;
  const address = new URL(url);
  address.port = String(link.port);
  return address.href.replace(/\/$/, '');
}
