import { eventually, freePort, patience } from '@tollgate/testing';
import { execFile, spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { devFile } from '../stack/dev-file';
import { isAlive } from '../stack/process-id';
import { workspaceRoot } from '../stack/workspace-root';

// Long enough for a machine that does other things too: what hangs is ended, nothing is judged by it.
jest.setTimeout(600_000);

const folder = mkdtempSync(join(tmpdir(), 'tollgate-start-'));
const data = join(folder, 'data');
const launchers: Launcher[] = [];
let port: number;

/** `npm start`, as a person types it. */
class Launcher {
  readonly npm: ChildProcessByStdio<null, Readable, Readable>;
  output = '';

  constructor() {
    const environment = { ...process.env, PORT: String(port), TOLLGATE_DATA: data, TOLLGATE_SANDBOX: 'on' };
    this.npm = spawn('npm', ['start'], {
      cwd: workspaceRoot,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [this.npm.stdout, this.npm.stderr]) stream.on('data', (text) => (this.output += String(text)));
    launchers.push(this);
  }

  async running(): Promise<void> {
    await eventually(
      async () => this.output,
      (text) => text.includes('Ctrl-C stops') || this.npm.exitCode !== null,
      50_000,
    );
    expect(this.output).toContain('Tollgate runs.');
  }

  /** The commands that it offers to copy: the indented lines below "A first request". */
  get commands(): string[] {
    return this.output
      .slice(this.output.indexOf('A first request'))
      .split('\n')
      .filter((line) => /^ {2}(curl|node) /.test(line))
      .map((line) => line.trim());
  }

  /** Ctrl-C: the terminal signals the whole group. */
  async interrupt(): Promise<void> {
    const ended = once(this.npm, 'exit');
    process.kill(-(this.npm.pid ?? 0), 'SIGINT');
    await ended;
  }
}

const readDev = () => devFile.parse(JSON.parse(readFileSync(join(data, 'dev.json'), 'utf8')));
const pidsOf = (dev: ReturnType<typeof readDev>) =>
  Object.values(dev.processes).flatMap(({ pid }) => (pid === null ? [] : [pid]));
const allEnded = (pids: number[]) =>
  eventually(
    async () => pids.filter(isAlive),
    (alive) => alive.length === 0,
    20_000,
  );

beforeAll(async () => (port = await freePort()));
afterAll(() => {
  for (const { npm } of launchers) if (npm.pid && isAlive(npm.pid)) process.kill(-npm.pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

it('gives a newcomer an address, a key that lasts, and three commands that work; Ctrl-C leaves nothing running', async () => {
  const first = new Launcher();
  await first.running();
  const dev = readDev();
  expect(dev.baseUrl).toBe(`http://127.0.0.1:${port}`);
  expect(Object.keys(dev.processes).sort()).toEqual(
    ['records', 'edge', 'inference', 'nats', 'postgres', 'sandbox'].sort(),
  );
  expect(statSync(join(data, 'key-pepper')).mode & 0o777).toBe(0o600);
  expect(first.output).toContain(dev.apiKey);
  expect(first.output).toContain('Sandbox');
  expect(first.output).toContain(`${dev.baseUrl}/first-administrator#${dev.bootstrapSecret}`);
  expect(statSync(join(data, 'bootstrap-secret')).mode & 0o777).toBe(0o600);
  expect(first.commands).toHaveLength(3);
  const answers: string[] = [];
  for (const command of first.commands) {
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: workspaceRoot });
    answers.push(stdout);
  }
  expect(answers).toEqual([
    expect.stringContaining('chat.completion'),
    expect.stringContaining('sandbox'),
    expect.stringContaining('resets_at'),
  ]);

  const second = new Launcher();
  await once(second.npm, 'exit');
  expect(second.npm.exitCode).not.toBe(0);
  expect(second.output).toContain('Tollgate runs already');

  await first.interrupt();
  expect(await allEnded(pidsOf(dev))).toEqual([]);
});

it('starts again warm, with the same key, and a launcher that is killed takes everything with it', async () => {
  const startedAt = Date.now();
  const before = readDev();
  const again = new Launcher();
  await again.running();
  const dev = readDev();
  expect(dev.apiKey).toBe(before.apiKey);
  expect(Date.now() - startedAt).toBeLessThan(15_000 * patience);
  process.kill(dev.launcherPid, 'SIGKILL');
  expect(await allEnded(pidsOf(dev))).toEqual([]);
});
