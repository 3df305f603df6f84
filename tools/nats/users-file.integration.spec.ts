import { withCredentials } from '@tollgate/messaging';
import { findNatsServer, freePort, startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import { connect } from 'nats';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';

/** The folders of Compose's nats-server, as far as its configuration knows them. */
const root = mkdtempSync(join(tmpdir(), 'tollgate-nats-users-'));
const secrets = join(root, 'secrets');
const configuration = join(root, 'etc', 'nats');
const isRoot = process.getuid?.() === 0;

function makeSecrets(): void {
  // Without root nothing can be given to other users: there the script runs with a chown that does nothing.
  const path = isRoot ? process.env.PATH : `${join(root, 'bin')}:${process.env.PATH}`;
  execFileSync('sh', [join(workspaceRoot, 'deploy/secrets/make-secrets.sh')], {
    env: { PATH: path, SECRETS_FOLDER: secrets },
  });
}

beforeAll(() => {
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin', 'chown'), '#!/bin/sh\n', { mode: 0o755 });
  mkdirSync(secrets);
  mkdirSync(configuration, { recursive: true });
  makeSecrets();
  cpSync(join(workspaceRoot, 'deploy/nats'), configuration, { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true }));

const passwordOf = (user: string) => readFileSync(join(secrets, `nats-${user}`), 'utf8');

it('makes each secret once, for its readers only', () => {
  const before = passwordOf('edge');
  makeSecrets();
  expect(passwordOf('edge')).toBe(before);
  expect(before).toMatch(/^[0-9a-f]{64}$/);
  expect(passwordOf('inference')).not.toBe(before);
  for (const file of ['nats-edge', 'nats-operator', 'nats-passwords.conf', 'key-pepper', 'database-url-accounts'])
    expect([file, statSync(join(secrets, file)).mode & 0o777]).toEqual([file, 0o440]);
  if (!isRoot) return;
  const owners = ['nats-edge', 'nats-inference', 'nats-operator', 'bootstrap-secret', 'database-url-metering'].map(
    (file) => statSync(join(secrets, file)).uid,
  );
  expect(owners).toEqual([2001, 2002, 2006, 2004, 2005]);
});

/** Starts a nats-server with the users of Compose's, as `edit` leaves their file. */
async function startWith(name: string, edit: (users: string) => string): Promise<NatsServer> {
  const users = readFileSync(join(configuration, 'users.conf'), 'utf8').replace(
    '../../secrets/nats-passwords.conf',
    'nats-passwords.conf',
  );
  const folder = join(root, name);
  mkdirSync(folder);
  cpSync(join(secrets, 'nats-passwords.conf'), join(folder, 'nats-passwords.conf'));
  return startNatsServer({ folder, port: await freePort(), extraConfig: edit(users) });
}

it('is a configuration that nats-server takes, and lets in who knows a password', async () => {
  execFileSync(await findNatsServer(), ['-t', '-c', join(configuration, 'nats-server.conf')], { stdio: 'ignore' });
  const nats = await startWith('server', (users) => users);
  const attempt = (url: string) => connect({ servers: nats.url, reconnect: false, ...credentials(url) });
  const connection = await attempt(withCredentials(nats.url, 'edge', passwordOf('edge')));
  await connection.flush();
  await connection.close();
  await expect(attempt(withCredentials(nats.url, 'edge', '$EDGE_PASSWORD'))).rejects.toThrow(/Authorization/i);
  await nats.stop();
});

it('takes the administrator of docs/cluster.md, who may edit streams, beside the others', async () => {
  const docs = readFileSync(join(workspaceRoot, 'docs/cluster.md'), 'utf8');
  const [, lines = '', pass = ''] =
    /```conf\n(\{\n +user: administrator\n +password: "([^"]+)"[^`]+)```/.exec(docs) ?? [];
  const nats = await startWith('administered', (users) => users.replace('users: [', `users: [\n${lines}`));
  const attempt = (user: string, password: string) =>
    connect({ servers: nats.url, reconnect: false, user, pass: password, inboxPrefix: `_INBOX.${user}` });
  const administrator = await attempt('administrator', pass);
  const manager = await administrator.jetstreamManager();
  await manager.streams.add({ name: 'USAGE', subjects: ['usage.events'] });
  expect((await manager.streams.update('USAGE', { max_msgs: 7 })).config.max_msgs).toBe(7);
  const metering = await attempt('metering', passwordOf('metering'));
  const others = await metering.jetstreamManager({ checkAPI: false, timeout: 500 });
  await expect(others.streams.purge('USAGE')).rejects.toThrow();
  await Promise.all([administrator.close(), metering.close()]);
  await nats.stop();
});

function credentials(url: string): { user: string; pass: string } {
  const { username, password } = new URL(url);
  return { user: username, pass: decodeURIComponent(password) };
}
