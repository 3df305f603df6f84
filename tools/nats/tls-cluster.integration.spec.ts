import { connectToNats } from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import { eventually, freePort, startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';

const certificates = join(workspaceRoot, 'libs/messaging/src/connection/__fixtures__');
/** It signed itself. */
const certificate = join(certificates, 'localhost.cert.pem');
const docs = readFileSync(join(workspaceRoot, 'docs/cluster.md'), 'utf8');
const [, documented = ''] = /```conf\n(include nats-server\.conf[^`]+)```/.exec(docs) ?? [];
const logger = createLogger('tls-cluster', 'silent');
const numbers = [1, 2, 3];
let servers: NatsServer[] = [];
let connection: NatsConnection | null = null;

/** The lines of docs/cluster.md for that server; what a machine of its own has, its address and files, is of this machine here. */
function configOf(number: number, ports: readonly number[], routes: readonly number[]): string {
  const route = (index: number) => `localhost:${routes[index - 1]}`;
  return (
    documented
      .replace('include nats-server.conf', '')
      // Each has a name of its own already.
      .replace('server_name: nats-1', '')
      .replace('nats-1.example.com:4222', `localhost:${ports[number - 1]}`)
      .replace('0.0.0.0:6222', `127.0.0.1:${routes[number - 1]}`)
      .replace(/nats-(\d)\.example\.com:6222/g, (_, index: string) => route(Number(index)))
      .replaceAll('/etc/nats/server.pem', certificate)
      .replaceAll('/etc/nats/ca.pem', certificate)
      .replaceAll('/etc/nats/server.key', join(certificates, 'localhost.key.pem'))
  );
}

afterAll(async () => {
  await connection?.close();
  await Promise.all(servers.map((server) => server.stop()));
});

it('is a cluster of servers as docs/cluster.md configures them, in which clients change their server', async () => {
  const [ports, routes] = await Promise.all([1, 2].map(() => Promise.all(numbers.map(() => freePort()))));
  const configs = numbers.map((number) => configOf(number, ports ?? [], routes ?? []));
  servers = await Promise.all(
    configs.map((extraConfig, index) => startNatsServer({ port: ports?.[index], extraConfig })),
  );
  const url = servers.map(({ port }) => `tls://localhost:${port}`).join();
  const opened = await connectToNats({ url, ca: readFileSync(certificate, 'utf8'), name: 'secured', logger });
  connection = opened;
  const portNow = () => Number(opened.getServer().split(':').at(-1));
  // Each server tells its clients of the others once their routes are there.
  await eventually(
    () => opened.info?.connect_urls?.length ?? 0,
    (known) => known === 3,
  );
  const left = portNow();
  await servers.find(({ port }) => port === left)?.kill();
  await eventually(() => portNow() !== left);
  await eventually(() =>
    opened.flush().then(
      () => true,
      () => false,
    ),
  );
});
