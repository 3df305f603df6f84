import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@tollgate/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './process-id';
import { SupervisedProcess } from './supervised-process';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-supervised-'));
const started: SupervisedProcess[] = [];

function supervise(name: string, program: string): { process: SupervisedProcess; crashes: string[] } {
  const script = join(folder, `${name}.cjs`);
  writeFileSync(script, program);
  const crashes: string[] = [];
  const process = new SupervisedProcess(
    { name, script, cwd: folder, environment: {}, logFile: join(folder, `${name}.log`) },
    { changed: () => undefined, crashed: (message) => crashes.push(message) },
  );
  started.push(process);
  process.start();
  return { process, crashes };
}

const stays = 'console.log("up", process.pid); setInterval(() => undefined, 1000);';

afterAll(async () => {
  await Promise.all(started.map((process) => process.stop(2_000)));
  rmSync(folder, { recursive: true });
});

it('runs a killed process again, under a new id', async () => {
  const { process, crashes } = supervise('killed', stays);
  const first = process.pid;
  process.kill('SIGKILL');
  await eventually(() => process.pid !== null && process.pid !== first);
  expect(crashes).toEqual([expect.stringContaining('killed was ended by SIGKILL')]);
});

it('does not run a process again that was stopped', async () => {
  const { process } = supervise('stopped', stays);
  const { pid } = process;
  await process.stop(5_000);
  await delay(500);
  expect(process.pid).toBeNull();
  expect(pid !== null && isAlive(pid)).toBe(false);
});

it('kills a process that ignores the request to stop', async () => {
  const { process } = supervise('deaf', `process.on('SIGTERM', () => console.log('ignored')); ${stays}`);
  await eventually(() => readFileSync(join(folder, 'deaf.log'), 'utf8').includes('up'));
  await process.stop(300);
  expect(process.pid).toBeNull();
});

it('waits longer before each restart of a process that keeps crashing', async () => {
  const { process, crashes } = supervise('broken', 'process.exit(3);');
  await eventually(() => process.crashes >= 3);
  const waits = crashes.map((message) => /starts again in ([\d.]+) s/.exec(message)?.[1]);
  expect(waits.slice(0, 3)).toEqual(['0.2', '0.4', '0.8']);
});
