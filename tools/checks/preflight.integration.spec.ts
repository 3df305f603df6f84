import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'preflight-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What a machine answers; `check`: what the service of that name says, null where its settings are fine. */
const usual = {
  engine: '27.3.1',
  compose: '2.40.3',
  memory: 8_000_000_000,
  diskKb: 90_000_000,
  taken: [] as number[],
  proxy: '',
  config: '      - image: tollgate-cli:latest\n        published: "80"\n        published: "443"\n',
  check: null as string | null,
};

/** Runs the preflight on a machine like that. */
function onMachine(changes: Partial<typeof usual> = {}): Promise<{ code: number; out: string; error: string }> {
  const machine = { ...usual, ...changes };
  const program = (name: string, lines: string[]): void => {
    writeFileSync(join(folder, name), ['#!/bin/sh', ...lines, ''].join('\n'));
    chmodSync(join(folder, name), 0o755);
  };
  program('docker', [
    'case "$*" in',
    `version*) ${machine.engine ? `echo ${machine.engine}` : 'echo "Cannot connect to the Docker daemon"; exit 1'} ;;`,
    `'compose version'*) ${machine.compose ? `echo ${machine.compose}` : 'exit 1'} ;;`,
    `info*) echo ${machine.memory} ${folder} ;;`,
    `'compose config'*) cat <<'END'\n${machine.config}END\n;;`,
    `'compose ps'*) echo '${machine.proxy}' ;;`,
    `'compose run'*) ${machine.check === null ? 'echo fine' : `echo '${machine.check}' >&2; exit 1`} ;;`,
    'esac',
  ]);
  program('df', ['echo heading', `echo "disk 1 1 ${machine.diskKb} 1% /"`]);
  program('ss', [
    'case "$2" in',
    ...machine.taken.map((port) => `"sport = :${port}") echo LISTEN ;;`),
    '*) ;;',
    'esac',
  ]);
  return preflight(`${folder}:${process.env.PATH}`);
}

function preflight(path: string): Promise<{ code: number; out: string; error: string }> {
  const script = join(workspaceRoot, 'deploy/preflight.sh');
  return new Promise((resolve) =>
    execFile('/bin/sh', [script], { env: { PATH: path } }, (failure, out, error) =>
      resolve({ code: failure ? Number(failure.code) : 0, out, error }),
    ),
  );
}

it('says what is there where nothing is missing', async () => {
  expect(await onMachine()).toEqual({
    code: 0,
    out: 'This machine has what Tollgate needs: engine 27.3.1, Compose 2.40.3, 8000 MB of memory, 90 GB of disk.\n',
    error: '',
  });
});

it.each<[string, Partial<typeof usual>, string]>([
  ['an engine that does not answer', { engine: '' }, 'The Docker engine does not answer: Cannot connect'],
  ['an old engine', { engine: '24.0.9' }, 'The engine is 24.0.9: 25 or newer'],
  ['no Compose', { compose: '' }, 'docker has no Compose plugin'],
  ['an old Compose', { compose: 'v2.23.3' }, 'Compose is v2.23.3: 2.24 or newer'],
  ['little memory', { memory: 1_000_000_000 }, 'The engine has 1000 MB of memory: 2 GB are needed'],
  ['a full disk', { diskKb: 3_000_000 }, 'has 3 GB free: 10 GB are needed'],
  ['a port that is taken', { taken: [443] }, 'Port 443 is taken by another program'],
  ['wrong settings', { check: 'LOG_LEVEL: must be one of fatal' }, 'LOG_LEVEL: must be one of fatal'],
])('names %s', async (_what, changes, told) => {
  const { code, out, error } = await onMachine(changes);
  expect([code, out]).toEqual([1, '']);
  expect(error).toContain(told);
  expect(error.trim().split('\n')).toHaveLength(1);
});

it('names all at once', async () => {
  const { error } = await onMachine({ engine: '20.10.24', memory: 1_000_000, diskKb: 1, taken: [80, 443] });
  expect(error.trim().split('\n')).toHaveLength(5);
});

it('takes newer versions of any length, and the ports of a gateway that runs', async () => {
  expect((await onMachine({ engine: '29', compose: 'v5.0.0-rc.1', taken: [80, 443], proxy: 'a1b2' })).code).toBe(0);
});

it('says so where there is no docker at all', async () => {
  const { code, error } = await preflight(folder);
  expect([code, error]).toEqual([1, expect.stringContaining('There is no docker here')]);
});
