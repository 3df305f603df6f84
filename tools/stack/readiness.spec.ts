import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntilReady } from './readiness';

let server: Server;
let folder: string;

async function wait(answer: RequestListener, timeoutMs: number, log = 'the last line\n'): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-readiness-'));
  const logFile = join(folder, 'log');
  writeFileSync(logFile, log);
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const internalUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  return waitUntilReady({ name: 'edge', internalUrl, logFile, gaveUp: () => false }, timeoutMs);
}

afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

/** Less than a try of its own takes. */
const patienceMs = 10_000;

it(
  'gives up at its deadline, also on a process that takes the question and never answers',
  async () => {
    await expect(wait(() => undefined, 300)).rejects.toThrow(/edge was not ready after 0.3 s[^]*the last line/);
  },
  patienceMs,
);

it(
  'tells once what a process says at each of its starts',
  async () => {
    const failure = wait(() => undefined, 300, 'It does not start:\n  - line 4\n'.repeat(5));
    await expect(failure).rejects.toThrow(/log:\nIt does not start:\n {2}- line 4$/);
  },
  patienceMs,
);

it('asks again until the process is ready', async () => {
  const answers = [503, 200];
  await wait((_request, response) => {
    response.statusCode = answers.shift() ?? 500;
    response.end('nats is missing');
  }, patienceMs);
  expect(answers).toEqual([]);
});
