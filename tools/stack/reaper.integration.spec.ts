import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './process-id';
import { workspaceRoot } from './workspace-root';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-reaper-'));

/** A launcher with one service and one server that would outlive it. */
const launcher = `
  const { Reaper } = require(${JSON.stringify(join(__dirname, 'reaper.ts'))});
  const { spawn } = require('node:child_process');
  const { createWriteStream } = require('node:fs');
  const sleeper = () => spawn('sleep', ['300'], { detached: true, stdio: 'ignore' }).pid;
  const processes = [{ group: 'service', signal: 'TERM', pid: sleeper() }, { group: 'server', signal: 'INT', pid: sleeper() }];
  new Reaper(${JSON.stringify(join(folder, 'processes'))}).write(processes);
  console.log(JSON.stringify(processes.map(({ pid }) => pid)));
  setInterval(() => undefined, 1000);
`;

afterAll(() => rmSync(folder, { recursive: true }));

it('ends every process of a launcher that was killed', async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', '-e', launcher], {
    cwd: workspaceRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const pids = JSON.parse(line) as number[];
  expect(pids.map(isAlive)).toEqual([true, true]);
  child.kill('SIGKILL');
  while (pids.some(isAlive)) await delay(50);
});
