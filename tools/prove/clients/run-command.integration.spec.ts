import { mkdtempSync, rmSync } from 'node:fs';
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
  const child = 'console.log(process.pid); setInterval(() => undefined, 1000)';
  const parent = `const child = require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.once('data', (bytes) => { console.log(String(bytes)); process.exit(0); });`;
  const { output } = await run(process.execPath, '-e', parent);
  const pid = Number(output);
  expect(pid).toBeGreaterThan(0);
  expect(() => process.kill(pid, 'SIGHUP')).toThrow('ESRCH');
});
