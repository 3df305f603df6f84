import { eventually, findNatsServer, freePort } from '@tollgate/testing';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeRelease } from '../release/release';
import { devFile } from '../stack/dev-file';
import { isAlive } from '../stack/process-id';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-release-'));
const release = join(folder, 'tollgate');
const data = join(folder, 'data');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('runs from a release, which is small, without a checkout or an installation', async () => {
  mkdirSync(release);
  writeFileSync(join(release, 'letter.txt'), 'Not a release.');
  expect(() => makeRelease(release)).toThrow('holds something else');
  rmSync(join(release, 'letter.txt'));
  makeRelease(release);
  const size = execFileSync('du', ['-sm', release], { encoding: 'utf8' });
  expect(parseInt(size, 10)).toBeLessThan(250);
  expect(readFileSync(join(release, 'deploy/systemd/tollgate.service'), 'utf8')).toContain('/bin/tollgate-start\n');
  // The CLI starts anew for each command: it loads only what it uses.
  expect(readFileSync(join(release, 'dist/tools/cli/packages.json'), 'utf8')).not.toContain('@nestjs');
  // Nothing may be written there: an operator's is root's.
  execFileSync('chmod', ['-R', 'a-w', release]);
  const environment = {
    JEST_PORTS_PART: process.env.JEST_PORTS_PART,
    ...{ PATH: process.env.PATH, HOME: folder, NATS_SERVER_BIN: await findNatsServer() },
    ...{ PORT: String(await freePort()), TOLLGATE_DATA: data, TOLLGATE_SANDBOX: 'on' },
  };
  const launcher = spawn(join(release, 'bin/tollgate-start'), { cwd: folder, env: environment });
  let output = '';
  for (const stream of [launcher.stdout, launcher.stderr]) stream.on('data', (text) => (output += String(text)));
  try {
    await eventually(
      async () => output.includes('Ctrl-C stops') || launcher.exitCode !== null,
      (isOver) => isOver,
      90_000,
    );
    expect(output).toContain('A first completion of openai/gpt-5.4-mini came back');
    const { processes } = devFile.parse(JSON.parse(readFileSync(join(data, 'dev.json'), 'utf8')));
    const status = execFileSync(join(release, 'bin/tollgate'), ['status'], { cwd: folder, env: environment });
    expect(String(status)).toMatch(/^metering +yes/m);
    const ended = once(launcher, 'exit');
    launcher.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    const pids = Object.values(processes).flatMap(({ pid }) => pid ?? []);
    expect([pids.length, pids.filter(isAlive)]).toEqual([6, []]);
  } finally {
    launcher.kill('SIGKILL');
    execFileSync('chmod', ['-R', 'u+w', release]);
  }
}, 600_000);
