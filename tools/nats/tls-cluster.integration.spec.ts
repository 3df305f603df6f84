import { noUsage, usageStream } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import {
  connectToNats,
  ensureUsageStreams,
  keepCopies,
  UsageConsumer,
  UsagePublisher,
  usageBacklog,
  withCredentials,
} from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import { eventually, freePort, startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import { connect } from 'nats';
import type { NatsConnection } from 'nats';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';

const certificates = join(workspaceRoot, 'libs/messaging/src/connection/__fixtures__');
/** It signed itself. */
const certificate = join(certificates, 'localhost.cert.pem');
const docs = readFileSync(join(workspaceRoot, 'docs/cluster.md'), 'utf8');
const [, documented = ''] = /```conf\n(include nats-server\.conf[^`]+)```/.exec(docs) ?? [];
const [, administrator = ''] = /```conf\n(\{\n +user: administrator\n[^`]+)```/.exec(docs) ?? [];
const [, administratorsPassword = ''] = /password: "([^"]+)"/.exec(administrator) ?? [];
const logger = createLogger('tls-cluster', 'silent');
const numbers = [1, 2, 3];
const passwordOf = (user: string) => `password-of-${user.toLowerCase()}`;
let servers: NatsServer[] = [];
const connections: NatsConnection[] = [];

/** The users of Compose's nats-server and the administrator of docs/cluster.md. */
function users(): string {
  const lines = readFileSync(join(workspaceRoot, 'deploy/nats/users.conf'), 'utf8');
  const names = [...lines.matchAll(/\$(\w+)_PASSWORD/g)].map(([, name = '']) => name);
  const passwords = names.map((name) => `${name}_PASSWORD: "${passwordOf(name)}"`).join('\n');
  return lines
    .replace('include ../../secrets/nats-passwords.conf', passwords)
    .replace('users: [', `users: [\n${administrator}`);
}

/**
 * The lines of docs/cluster.md for that server; what a machine of its own has, its address and files, is of
 * this machine here.
 */
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

beforeAll(async () => {
  const [ports, routes] = await Promise.all([1, 2].map(() => Promise.all(numbers.map(() => freePort()))));
  const configs = numbers.map((number) => `${configOf(number, ports ?? [], routes ?? [])}${users()}`);
  servers = await Promise.all(
    configs.map((extraConfig, index) => startNatsServer({ port: ports?.[index], extraConfig })),
  );
});
afterAll(async () => {
  for (const connection of connections) await connection.close();
  await Promise.all(servers.map((server) => server.stop()));
});

const anEvent = (id: string): UsageEvent => ({
  ...{ id, requestId: id, keyId: 'key', accountId: 'account' },
  ...{ requestedModel: 'openai/gpt-4o', model: 'openai/gpt-4o', surface: 'openai-chat', stream: true },
  ...{ state: 'completed', status: 200, estimated: false, usage: noUsage, attempts: [], lease: null },
  ...{ startedAt: 1, firstTokenAt: 2, endedAt: 3, reportedBy: 'inference' },
});

const ca = readFileSync(certificate, 'utf8');
const addresses = () => servers.map(({ port }) => `tls://localhost:${port}`);

/**
 * As a service connects. Resolves when the server that it reached has told it of the others: their routes are
 * there then.
 */
async function opened(user: string, known = addresses()): Promise<NatsConnection> {
  const url = withCredentials(known.join(), user, passwordOf(user));
  const connection = await connectToNats({ url, ca, name: user, logger });
  connections.push(connection);
  await eventually(
    () => connection.info?.connect_urls?.length ?? 0,
    (known) => known === 3,
  );
  return connection;
}

it('keeps three copies of usage in a cluster of servers as docs/cluster.md configures them, which its administrator may edit, and clients of a server that ends change it', async () => {
  const metering = await opened('metering');
  await ensureUsageStreams(metering, logger, 3);
  const copies = async () => (await usageBacklog(metering, 3).catch(() => null))?.copies.kept;
  // A cluster answers nobody while a stream has no leader, which is as long as copies are added: whoever asks
  // in vain asks again, as metering does.
  const untilTold = <T>(ask: () => Promise<T>): Promise<T | null> =>
    eventually(
      () => ask().catch(() => null),
      (told) => told !== null,
      10_000,
    );
  await eventually(async () => {
    await keepCopies(metering, 3, logger).catch(() => undefined);
    return (await copies()) === 3;
  }, 10_000);

  const { user, pass } = { user: 'administrator', pass: administratorsPassword };
  const editor = await connect({ servers: addresses(), tls: { ca }, user, pass });
  connections.push(editor);
  const streams = (await editor.jetstreamManager({ checkAPI: false, timeout: 2_000 })).streams;
  const updated = await untilTold(() => streams.update(usageStream.name, { max_msgs: 77 }));
  expect(updated?.config).toMatchObject({ num_replicas: 3, max_msgs: 77 });

  const counted: string[] = [];
  const known = await untilTold(() => streams.info(usageStream.name));
  const leader = servers.find(({ name }) => name === known?.cluster?.leader);
  const inference = await opened('inference', [`tls://localhost:${leader?.port}`]);
  const publisher = new UsagePublisher(inference, { logger });
  publisher.publish(anEvent('before'));
  await eventually(() => publisher.pending === 0);
  await leader?.kill();
  publisher.publish(anEvent('after'));
  await eventually(() => publisher.pending === 0);
  expect(inference.getServer()).not.toContain(String(leader?.port));
  await eventually(copies, (kept) => kept === 2, 30_000);
  const count = async (events: UsageEvent[]) => void counted.push(...events.map(({ id }) => id));
  const consumer = new UsageConsumer(metering, count, { logger });
  await consumer.start();
  await eventually(() => counted.length === 2);
  await consumer.stop();
  publisher.close();
  expect(counted.sort()).toEqual(['after', 'before']);
});
