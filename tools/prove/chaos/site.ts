import { childrenOf, startNatsServer, startPostgres, startTcpProxy, startValkey } from '@tollgate/testing';
import type { NatsServer, PostgresServer, TcpProxy, ValkeyServer } from '@tollgate/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack } from '../../stack/stack';
import type { Stack } from '../../stack/stack';

/** Two of what callers must not miss when one dies. */
const instances = { edge: 2, inference: 2 };
/** An edge that says nothing for this long gets no requests: what a load balancer does. */
const probeMs = 1_000;

interface Links {
  nats: TcpProxy;
  postgres: TcpProxy;
  valkey: TcpProxy;
}

/** A whole Tollgate whose servers are reached through links that can be disturbed. */
export class Site {
  private constructor(
    readonly stack: Stack,
    readonly nats: NatsServer,
    readonly postgres: PostgresServer,
    readonly valkey: ValkeyServer,
    readonly links: Links,
    private readonly dataFolder: string,
  ) {}

  /** Starts everything; the services must have been built. */
  static async start(onProgress: (line: string) => void): Promise<Site> {
    const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-chaos-'));
    const nats = await startNatsServer({ folder: join(dataFolder, 'nats') });
    const postgres = await startPostgres({ folder: join(dataFolder, 'postgres') });
    const valkey = await startValkey();
    const links = {
      nats: await startTcpProxy(nats.port),
      postgres: await startTcpProxy(Number(new URL(postgres.url).port)),
      valkey: await startTcpProxy(valkey.port),
    };
    const stack = await startStack({
      dataFolder,
      onProgress,
      instances,
      natsUrl: through(links.nats, nats.url),
      databaseUrl: through(links.postgres, postgres.url),
      environment: { TOLLGATE_SANDBOX: 'on', VALKEY_URL: through(links.valkey, valkey.url) },
    });
    return new Site(stack, nats, postgres, valkey, links, dataFolder);
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

  /** `keep` true: databases and logs stay for a look. Returns their folder. */
  async stop(keep: boolean): Promise<string> {
    await this.stack.stop();
    await Promise.all([this.nats.stop(), this.postgres.stop(), this.valkey.stop()]);
    await Promise.all(Object.values(this.links).map((link: TcpProxy) => link.close()));
    if (!keep) rmSync(this.dataFolder, { recursive: true, force: true });
    return this.dataFolder;
  }
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

function through(link: TcpProxy, url: string): string {
  const address = new URL(url);
  address.port = String(link.port);
  return address.href.replace(/\/$/, '');
}
