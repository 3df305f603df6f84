import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './run-command';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-run-command-'));
const site = { installed: folder, node: process.execPath, work: folder, home: folder };
const run = (program: string, ...args: string[]) => runCommand({ program, args, environment: {} }, site);

afterAll(() => rmSync(folder, { recursive: true }));

it('reads all that a program said before it ended', async () => {
  const ended = await run(process.execPath, '-e', 'process.stdout.write("word ".repeat(200_000))');
  expect(ended).toMatchObject({ exitCode: 0, isOverdue: false, problems: '' });
  expect(ended.output).toHaveLength(1_000_000);
});

it('tells that a program is not there', async () => {
  const { exitCode, problems } = await run(join(folder, 'nobody'));
  expect(exitCode).not.toBe(0);
  expect(problems).toContain('ENOENT');
});

it('leaves nobody of the group', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection');
  const child = `require('net').connect(${port}, '127.0.0.1', () => console.log('here')); setInterval(() => undefined, 1000)`;
  const parent = `const child = require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.once('data', () => process.exit(0));`;
  const ended = run(process.execPath, '-e', parent);
  const [socket] = (await connected) as [Socket];
  const closed = new Promise((resolve) => socket.on('error', resolve).on('close', resolve).resume());
  await Promise.all([ended, closed]);
  server.close();
  expect((await ended).exitCode).toBe(0);
});
