import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { readlinkSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { workspaceRoot } from '../stack/workspace-root';
import { useInstallation } from './in-use';

let root: string;
const at = (path: string): string => join(root, path);
const link = (): string | null =>
  lstatSync(at('node_modules'), { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(at('node_modules')) : null;
const stored = (): string[] => (existsSync(at('.run-only')) ? readdirSync(at('.run-only')) : []);
const isThere = (name: string): boolean => existsSync(at(`node_modules/${name}/package.json`));

/**
 * A stand-in for `npm ci`: of the packages of a folder's lock file it makes two, each a package.json and a
 * type, and lists them all beside them. `fails` is npm without a network.
 */
const install = `
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  installs.push(what);
  for (const path of ['node_modules/tsx', 'node_modules/jest'].filter((each) => each in packages)) {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'package.json'), '{}');
    writeFileSync(join(folder, path, 'index.d.ts'), '');
  }
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
  return !fails;`;

/** Ensures it once, or by several at the same time, and returns what was installed. */
function ensure({ isToRun = false, fails = false, times = 1 }): string[] {
  const script = `
    import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
    import { join } from 'node:path';
    import { ensureInstalled } from '${pathToFileURL(join(__dirname, 'ensure-installed.mjs')).href}';
    const fails = ${fails};
    const installs = [];
    const install = async (folder, what) => {${install}};
    const ended = await ensureInstalled(${JSON.stringify(root)}, ${isToRun}, install);
    console.log(JSON.stringify({ ended, installs }));`;
  const run = `for i in $(seq ${times}); do "$0" --input-type=module --eval "$1" & done; wait`;
  const { stdout, stderr } = spawnSync('sh', ['-c', run, process.execPath, script], { encoding: 'utf8' });
  const results = stdout.split('\n').filter((line) => line.startsWith('{'));
  expect({ results: results.length, stderr }).toEqual({ results: times, stderr: '' });
  return results.flatMap((line) => {
    const result = JSON.parse(line) as { ended: boolean; installs: string[] };
    expect(result.ended).toBe(!fails);
    return result.installs;
  });
}

const lesser = 'what running needs';
const everything = 'what running, testing and building need';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tollgate-ensure-'));
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(workspaceRoot, name), at(name));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('installs what running needs once, without what nothing loads, behind a link', () => {
  expect([ensure({ isToRun: true }), ensure({ isToRun: true })]).toEqual([[lesser], []]);
  expect([isThere('tsx'), isThere('jest'), existsSync(at('node_modules/tsx/index.d.ts'))]).toEqual([
    true,
    false,
    false,
  ]);
  expect(stored().map((name) => `.run-only/${name}/node_modules`)).toEqual([link()]);
});

it('puts everything in its place when it is needed, and keeps that for running', () => {
  ensure({ isToRun: true });
  expect([ensure({}), ensure({}), ensure({ isToRun: true })]).toEqual([[everything], [], []]);
  expect([link(), isThere('jest'), existsSync(at('node_modules/tsx/index.d.ts')), stored()]).toEqual([
    null,
    true,
    true,
    [],
  ]);
});

it('leaves what was there where an installation fails', () => {
  ensure({ isToRun: true, fails: true });
  expect([isThere('tsx'), stored()]).toEqual([false, []]);
  ensure({ isToRun: true });
  ensure({ fails: true });
  expect([isThere('tsx'), isThere('jest'), stored().length]).toEqual([true, false, 1]);
});

it('installs again what `npm ci` has emptied, also where its link is gone', () => {
  ensure({ isToRun: true });
  const key = stored()[0] ?? '';
  rmSync(at(`.run-only/${key}/node_modules`), { recursive: true });
  mkdirSync(at(`.run-only/${key}/node_modules`));
  expect([ensure({ isToRun: true }), isThere('tsx')]).toEqual([[lesser], true]);
  unlinkSync(at('node_modules'));
  expect([ensure({ isToRun: true }), isThere('tsx')]).toEqual([[], true]);
});

it('installs anew for another lock file, and leaves the former one to whoever runs from it', () => {
  ensure({ isToRun: true });
  const former = stored()[0] ?? '';
  useInstallation(root);
  const lock = readFileSync(at('package-lock.json'), 'utf8');
  writeFileSync(at('package-lock.json'), lock.replace(/("node_modules\/tsx": \{\s+"version": ")/, '$19.'));
  expect(ensure({ isToRun: true })).toEqual([lesser]);
  expect([stored().length, stored().includes(former), link()?.includes(former)]).toEqual([2, true, false]);
  expect(ensure({})).toEqual([everything]);
  expect(stored()).toEqual([former]);
  // Its process has ended.
  rmSync(at(`.run-only/${former}/in-use`), { recursive: true });
  ensure({});
  expect(stored()).toEqual([]);
});

it('takes away what was broken off', () => {
  mkdirSync(at('.run-only/new-99999999/node_modules'), { recursive: true });
  expect([ensure({}), stored()]).toEqual([[everything], []]);
});

it('does not mind several at once', () => {
  expect(ensure({ isToRun: true, times: 3 })).toContain(lesser);
  expect([isThere('tsx'), stored().length]).toEqual([true, 1]);
  ensure({ isToRun: true, times: 3 });
  ensure({ times: 3 });
  expect([isThere('jest'), link(), stored()]).toEqual([true, null, []]);
});

it('takes what npm has installed by itself, and a link of somebody’s own for everything', () => {
  ensure({});
  rmSync(at('node_modules/.tollgate-install'));
  expect(ensure({ isToRun: true })).toEqual([]);
  mkdirSync(at('elsewhere'));
  rmSync(at('node_modules'), { recursive: true });
  symlinkSync('elsewhere', at('node_modules'));
  expect([ensure({ isToRun: true }), link(), existsSync(at('elsewhere/jest'))]).toEqual([
    [everything],
    'elsewhere',
    true,
  ]);
});
