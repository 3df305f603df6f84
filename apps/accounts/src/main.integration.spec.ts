import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, startNatsServer, startPostgres, type NatsServer, type PostgresServer } from '@tollgate/testing';
import { eventually } from './testing/accounts-rig';

const workspace = join(__dirname, '../../..');
const children: ChildProcess[] = [];
let nats: NatsServer;
let postgres: PostgresServer;

beforeAll(async () => {
  const build = promisify(execFile)(process.execPath, ['tools/build.mjs', 'apps/accounts'], { cwd: workspace });
  [nats, postgres] = await Promise.all([startNatsServer(), startPostgres(), build]);
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await nats.stop();
  await postgres.stop();
});

/** Starts the program as it is deployed. `said()` is what it wrote so far. */
function start(environment: Record<string, string>): { child: ChildProcess; said: () => string } {
  const child = spawn(process.execPath, ['dist/apps/accounts/main.js'], {
    cwd: workspace,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  return { child, said: () => output };
}

async function readiness(port: number): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
  return answer?.json();
}

describe('the program', () => {
  it('names every variable at fault, without a stack trace, and exits 1', async () => {
    const { child, said } = start({ NATS_URL: nats.url, TOLLGATE_KEY_PEPPER: 'short', TOLLGATE_KEY_PREFIX: 'No Good' });
    expect(await once(child, 'close')).toEqual([1, null]);
    for (const name of ['DATABASE_URL', 'TOLLGATE_KEY_PEPPER', 'TOLLGATE_KEY_PREFIX']) expect(said()).toContain(name);
    expect(said()).not.toMatch(/\n\s+at /);
  });

  it('waits for a Postgres that is away, says so, becomes ready when it comes, and leaves on SIGTERM', async () => {
    await postgres.kill();
    const port = await freePort();
    const pepper = 'canary-pepper-of-more-than-32-characters';
    const { child, said } = start({
      NATS_URL: nats.url,
      DATABASE_URL: postgres.url,
      TOLLGATE_KEY_PEPPER: pepper,
      INTERNAL_PORT: String(port),
    });
    await eventually(() => said().includes('Postgres cannot be used yet; trying again'), 20_000);
    expect(await readiness(port)).toMatchObject({
      status: 'unavailable',
      missing: expect.arrayContaining(['started', 'postgres']),
    });
    await postgres.restart();
    await eventually(async () => JSON.stringify(await readiness(port)).includes('"ok"'), 20_000);
    await eventually(() => said().includes('"msg":"ready"'));
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(said()).not.toContain(pepper);
  });
});

it('has no long lines: Node prints the whole of one on which an error was thrown that ends the program', () => {
  const lines = readFileSync(join(workspace, 'dist/apps/accounts/main.js'), 'utf8').split('\n');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(5_000);
});
