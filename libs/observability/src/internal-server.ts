import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Registry, Gauge } from 'prom-client';
import { version } from './version';

/** Node's five seconds end as somebody who asks that often asks again, in a connection that is just closed. */
const keepAliveTimeoutMs = 75_000;

/** Says whether one thing a service needs is there. It must answer quickly; throwing means no. */
export type ReadinessCheck = () => boolean | Promise<boolean>;

/**
 * Health and metrics of one service, on a port of its own that is never published: /livez, /readyz (503
 * naming what is missing; with the release that runs) and /metrics (Prometheus).
 */
export class InternalServer {
  private readonly server: Server;

  constructor(
    private readonly registry: Registry,
    private readonly checks: Record<string, ReadinessCheck>,
  ) {
    showReadiness(registry, Object.keys(checks), () => missingParts(checks));
    this.server = createServer({ keepAliveTimeout: keepAliveTimeoutMs }, (request, response) => {
      const [path = '/'] = (request.url ?? '/').split('?');
      this.answer(path, response).catch(() => response.destroy());
    });
  }

  /** Listens; port 0 picks a free one. Returns the port. */
  async listen(port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, resolve);
    });
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async answer(path: string, response: ServerResponse): Promise<void> {
    if (path === '/livez') return this.json(response, 200, { status: 'ok' });
    if (path === '/readyz') {
      const missing = await missingParts(this.checks);
      if (missing.length > 0) return this.json(response, 503, { status: 'unavailable', missing, version });
      return this.json(response, 200, { status: 'ok', version });
    }
    if (path === '/metrics') {
      response.writeHead(200, { 'content-type': this.registry.contentType });
      response.end(await this.registry.metrics());
      return;
    }
    this.json(response, 404, { status: 'not found' });
  }

  private json(response: ServerResponse, status: number, body: object): void {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }
}

/** The names of the checks that do not hold now. */
export async function missingParts(checks: Record<string, ReadinessCheck>): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ((await holds(check)) ? [] : [name])),
  );
  return results.flat();
}

async function holds(check: ReadinessCheck): Promise<boolean> {
  try {
    return await check();
  } catch {
    return false;
  }
}

/**
 * Shows what a service needs, and whether it is there, at each scrape. `missing` gives the names of the
 * checks that do not hold.
 */
function showReadiness(registry: Registry, checks: readonly string[], missing: () => Promise<readonly string[]>): void {
  if (checks.length === 0) return;
  const gauge: Gauge<'check'> = new Gauge({
    name: 'tollgate_ready',
    help: 'What this instance needs before it can work: 1 while it is there, 0 while it is missing.',
    labelNames: ['check'],
    registers: [registry],
    collect: async () => {
      const gone = await missing();
      for (const check of checks) gauge.set({ check }, gone.includes(check) ? 0 : 1);
    },
  });
}
