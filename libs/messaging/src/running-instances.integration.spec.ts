import { instanceSubjects } from '@tollgate/contracts';
import { version } from '@tollgate/observability';
import { eventually, startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { connectToNats } from './connection/connect-to-nats';
import { withCredentials } from './connection/nats-address';
import { askInstances, tellInstance } from './running-instances';

const logger = pino({ level: 'silent' });
let nats: NatsServer;
let connections: NatsConnection[] = [];
const connected = async (name: string): Promise<NatsConnection> => {
  const connection = await connectToNats({ url: nats.url, name });
  connections.push(connection);
  return connection;
};

beforeAll(async () => {
  nats = await startNatsServer();
});
afterEach(async () => {
  await Promise.all(connections.map((connection) => connection.close()));
  connections = [];
});
afterAll(() => nats.stop());

it('every instance tells who it is and which release it runs', async () => {
  const [edge, metering, newer] = [await connected('edge'), await connected('metering'), await connected('metering')];
  tellInstance(edge, 'edge');
  tellInstance(metering, 'metering');
  tellInstance(newer, 'metering', { release: '99.0.0' });
  await Promise.all(connections.map((connection) => connection.flush()));
  const operator = await connected('operator');
  const instances = await eventually(
    async () => (await askInstances(operator, 500)) ?? [],
    (told) => told.length === 3,
  );
  const instance = `${hostname()}/${process.pid}`;
  expect(instances.map(({ service }) => service)).toEqual(['edge', 'metering', 'metering']);
  expect(instances).toEqual(
    expect.arrayContaining([
      { service: 'edge', version, instance, startedAt: expect.any(Number) },
      { service: 'metering', version, instance, startedAt: expect.any(Number) },
      { service: 'metering', version: '99.0.0', instance, startedAt: expect.any(Number) },
    ]),
  );
});

it('takes what a newer release says beyond that, leaves out what it cannot read, and names each once', async () => {
  const other = await connected('other');
  const told = { service: 'edge', version: '2.0.0', instance: 'a/1', startedAt: 1 };
  const answers = [{ ...told, load: 0.5 }, told]
    .map((one) => JSON.stringify(one))
    .concat('{"service":"edge"}', 'no JSON');
  other.subscribe(instanceSubjects.ask, {
    callback: () => answers.forEach((answer) => other.publish(instanceSubjects.told, answer)),
  });
  await other.flush();
  const operator = await connected('operator');
  const instances = await eventually(
    () => askInstances(operator, 500),
    (all) => (all?.length ?? 0) > 0,
  );
  expect(instances).toEqual([told]);
});

it('knows of none where nobody listens, and while NATS is away', async () => {
  const operator = await connected('operator');
  expect(await askInstances(operator, 500)).toEqual([]);
  await operator.close();
  expect(await askInstances(operator, 500)).toEqual([]);
});

it('says so where the server has not read its users since an upgrade, and tells once it has', async () => {
  const user = (subjects: string): string =>
    `authorization { users: [{ user: former, password: secret, permissions: { publish: [${subjects}], subscribe: [${subjects}] } }] }`;
  const former = await startNatsServer({ extraConfig: user('"_INBOX.>"') });
  const connection = await connectToNats({
    url: withCredentials(former.url, 'former', 'secret'),
    name: 'former',
    logger,
  });
  connections.push(connection);
  tellInstance(connection, 'edge', { againMs: 100 });
  await eventually(async () => (await askInstances(connection, 500)) === null);
  expect(connection.isClosed()).toBe(false);
  const file = join(former.folder, 'nats-server.conf');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"_INBOX.>"', '"_INBOX.>", "instances.>"'));
  process.kill(former.pid, 'SIGHUP');
  await eventually(async () => (await askInstances(connection, 500))?.length === 1);
  await connection.close();
  await former.stop();
});
