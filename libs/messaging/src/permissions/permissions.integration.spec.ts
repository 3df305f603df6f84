import { usageStream } from '@tollgate/contracts';
import { accountsOperations } from '@tollgate/contracts/accounts';
import { catalogMemory, catalogOperations } from '@tollgate/contracts/catalog';
import { generationSubjects } from '@tollgate/contracts/inference';
import { patience, startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import { connect, Events } from 'nats';
import type { NatsConnection } from 'nats';
import { pino } from 'pino';
import { connectionOptions, connectToNats } from '../connection/connect-to-nats';
import { withCredentials } from '../connection/nats-address';
import { keepCopies } from '../usage/stream-copies';
import { ensureUsageStreams, usageBacklog } from '../usage/usage-streams';
import { natsUserNames, permissionsOf } from './nats-users';
import type { NatsUserName } from './nats-users';
import { serverAuthorization } from './server-authorization';

const logger = pino({ level: 'silent' });
let nats: NatsServer;
const connections = new Map<NatsUserName, NatsConnection>();
const refused = new Map<NatsUserName, string[]>(natsUserNames.map((user) => [user, []]));

function as(user: NatsUserName): NatsConnection {
  const connection = connections.get(user);
  if (!connection) throw new Error(`${user} is not connected`);
  return connection;
}

beforeAll(async () => {
  nats = await startNatsServer({ extraConfig: serverAuthorization((user) => JSON.stringify(`password of ${user}`)) });
  for (const user of natsUserNames) {
    const url = withCredentials(nats.url, user, `password of ${user}`);
    connections.set(user, await connectToNats({ url, name: user, logger }));
    void noteRefusals(user);
  }
  await ensureUsageStreams(as('metering'), logger);
});
afterAll(async () => {
  for (const connection of connections.values()) await connection.close();
  await nats.stop();
});

/**
 * Notes what the server refuses a user, from now until its connection is closed: `publish x`,
 * `subscription y`.
 */
async function noteRefusals(user: NatsUserName): Promise<void> {
  for await (const { type, permissionContext } of as(user).status())
    if (type === Events.Error && permissionContext)
      refused.get(user)?.push(`${permissionContext.operation} ${permissionContext.subject}`);
}

/** What the server refuses while `act` runs. */
async function refusals(user: NatsUserName, act: (connection: NatsConnection) => void): Promise<string[]> {
  const connection = as(user);
  const before = refused.get(user)?.length ?? 0;
  act(connection);
  // The server answers in order: what it refuses arrives before its answer to this ping.
  await connection.flush();
  await connection.flush();
  return refused.get(user)?.slice(before) ?? [];
}

/** Subjects that stand for the wildcards of the table. */
const example = (subject: string) => subject.replaceAll('*', 'some').replace(/>$/, 'some.thing');
const everySubject = [...new Set(natsUserNames.flatMap((user) => Object.values(permissionsOf(user)).flat()))].sort();

describe.each(natsUserNames)('%s', (user) => {
  const may = permissionsOf(user);

  it('may publish what the table says, and nothing that only others may', async () => {
    const foreign = everySubject.filter((subject) => !may.publish.includes(subject)).map(example);
    expect(foreign.length).toBeGreaterThan(10);
    // Acknowledging or creating by empty requests does no harm here; JetStream answers into an inbox of this
    // user or nowhere.
    const seen = await refusals(user, (connection) => {
      for (const subject of [...may.publish.map(example), ...foreign, 'anything', '$JS.API.STREAM.PURGE.USAGE'])
        connection.publish(subject);
    });
    expect(seen.sort()).toEqual(
      [...foreign, 'anything', '$JS.API.STREAM.PURGE.USAGE'].map((s) => `publish ${s}`).sort(),
    );
  });

  it('may hear what the table says, and nothing that only others may', async () => {
    const foreign = everySubject.filter((subject) => !may.subscribe.includes(subject));
    const tooMuch = ['>', '*', '_INBOX.>', 'accounts.>', 'usage.>', '$JS.EVENT.ADVISORY.>'];
    const seen = await refusals(user, (connection) => {
      for (const subject of [...may.subscribe, ...foreign, ...tooMuch])
        connection.subscribe(subject, { callback: () => undefined }).closed.catch(() => undefined);
    });
    expect(seen.sort()).toEqual([...foreign, ...tooMuch].map((subject) => `subscription ${subject}`).sort());
  });
});

it('refuses what would hurt most', async () => {
  const publishes = async (user: NatsUserName, subject: string) =>
    (await refusals(user, (connection) => connection.publish(subject, '{}'))).length > 0;
  expect(await publishes('inference', accountsOperations.createKey.subject)).toBe(true);
  expect(await publishes('inference', 'accounts.changed.key')).toBe(true);
  expect(await publishes('edge', 'accounts.changed.key')).toBe(true);
  expect(await publishes('catalog', usageStream.subject)).toBe(true);
  expect(await publishes('accounts', generationSubjects.frames('some.1'))).toBe(true);
  const reads = await refusals('accounts', (connection) =>
    connection.subscribe(generationSubjects.request('*'), { callback: () => undefined }),
  );
  expect(reads).toHaveLength(1);
});

it('brings answers to the one who asked, in its own inbox', async () => {
  const answering = as('catalog').subscribe(catalogOperations.snapshot.subject, {
    callback: (_error, message) => message.respond(message.reply),
  });
  await as('catalog').flush();
  for (const user of ['edge', 'inference', 'operator'] as const) {
    const reply = await as(user).request(catalogOperations.snapshot.subject, '', { timeout: 5_000 * patience });
    expect(reply.string()).toMatch(new RegExp(`^_INBOX\\.${user}\\.`));
  }
  answering.unsubscribe();
});

it('lets metering keep the streams, and nobody else look into them', async () => {
  expect(await usageBacklog(as('metering'))).toMatchObject({ deadLetters: expect.any(Number) });
  await as('catalog').jetstream().views.kv(catalogMemory.bucket, { history: 1 });
  const before = refused.get('metering')?.length;
  await keepCopies(as('metering'), 3, logger);
  expect(refused.get('metering')?.slice(before)).toEqual([]);
  for (const user of ['edge', 'inference', 'operator'] as const) await expect(usageBacklog(as(user))).rejects.toThrow();
});

it('lets nobody in without a password, or with another one', async () => {
  const attempt = (url: string) => connect({ ...connectionOptions({ url }, 'stranger'), reconnect: false });
  await expect(attempt(nats.url)).rejects.toThrow(/Authorization/i);
  await expect(attempt(withCredentials(nats.url, 'edge', 'password of accounts'))).rejects.toThrow(/Authorization/i);
});
