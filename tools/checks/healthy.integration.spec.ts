import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@tollgate/testing';
import { workspaceRoot } from '../stack/workspace-root';

/** The exit code of the health check of a container whose port of health is this. */
function exitCode(port: number): Promise<number> {
  const env = { ...process.env, INTERNAL_PORT: String(port) };
  return new Promise((resolve) => {
    execFile('bash', [join(workspaceRoot, 'tools/healthy.sh')], { env }, (error) => resolve(Number(error?.code ?? 0)));
  });
}

it.each([
  [200, 0],
  [503, 1],
  [404, 1],
])('takes %s of /readyz for %s', async (status, expected) => {
  const asked: (string | undefined)[] = [];
  const server = createServer(({ url }, response) => {
    asked.push(url);
    response.writeHead(status).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await exitCode(port)).toBe(expected);
  expect(asked).toEqual(['/readyz']);
  server.close();
});

it('takes nobody there for no', async () => {
  expect(await exitCode(await freePort())).toBe(1);
});
