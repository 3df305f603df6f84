import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@tollgate/testing';
import { RunningServer } from './own-server';

const work = mkdtempSync(join(tmpdir(), 'tollgate-own-server-'));
const serverOf = async (program: string, ...args: string[]) =>
  new RunningServer(
    { program, args },
    { installed: work, work, port: await freePort(), others: new Map() },
    'tiny',
    null,
  );

afterAll(() => rmSync(work, { recursive: true }));

it.each([
  ['ended', 'process.exitCode = 3', /exit code 3/],
  ['was killed', "process.kill(process.pid, 'SIGKILL')", /SIGKILL/],
])('tells the end of the log of a server that %s', async (_how, ending, told) => {
  const server = await serverOf(process.execPath, '-e', `console.log('no such model'); ${ending}`);
  const failure: unknown = await server.start().catch((error: unknown) => error);
  expect(String(failure)).toMatch(told);
  expect(String(failure)).toMatch(/no such model$/);
  await server.stop();
});

it('tells that a program is not there', async () => {
  const server = await serverOf(join(work, 'nobody'));
  await expect(server.start()).rejects.toThrow(/tiny did not start: .*ENOENT/);
  await server.stop();
});

it('waits until the server lists its models, and stops it', async () => {
  const listing = "require('http').createServer((_, answer) => answer.end('{}')).listen(process.argv[1], '127.0.0.1')";
  const port = await freePort();
  const site = { installed: work, work, port, others: new Map<string, string>() };
  const server = new RunningServer(
    { program: process.execPath, args: ['-e', listing, String(port)] },
    site,
    'up',
    null,
  );
  await server.start();
  expect((await fetch(`${server.url}/v1/models`)).status).toBe(200);
  await server.stop();
  await expect(fetch(server.url)).rejects.toThrow();
});
