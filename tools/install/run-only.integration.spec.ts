import { execFileSync } from 'node:child_process';
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildWithoutNx } from '../stack/build-without-nx';
import { workspaceRoot } from '../stack/workspace-root';
import { importsOf, programs } from './imports.fixture';

let checkout: string;

/** What a script in a folder prints. */
const node = (folder: string, ...args: string[]): string =>
  execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26, stdio: 'pipe' });

/** The files below a folder of the workspace, but for what is made there. */
async function filesOf(path: string): Promise<string[]> {
  const entries = await readdir(join(workspaceRoot, path), { withFileTypes: true });
  const kept = entries.filter(({ name }) => !['node_modules', 'generated', 'dist', '.bin'].includes(name));
  const folders = kept.filter((entry) => entry.isDirectory());
  const inFolders = await Promise.all(folders.map(({ name }) => filesOf(`${path}/${name}`)));
  const files = kept.filter((entry) => entry.isFile());
  return [...files.map(({ name }) => `${path}/${name}`), ...inFolders.flat()];
}

/**
 * Puts a file where it is in the workspace. One of a package is the same one, where one file system holds
 * both; a source is a copy, since a link is a change of it, after which everything is built anew.
 */
function put(path: string): void {
  const target = join(checkout, path);
  mkdirSync(dirname(target), { recursive: true });
  if (!path.startsWith('node_modules/')) return copyFileSync(join(workspaceRoot, path), target);
  try {
    linkSync(join(workspaceRoot, path), target);
  } catch {
    copyFileSync(join(workspaceRoot, path), target);
  }
}

/** The files that `npm start` leaves of its installation, by their names in this one. */
function filesToRun(): string[] {
  const beside = (name: string) => pathToFileURL(join(__dirname, name)).href;
  const script = `
    import { toRun } from '${beside('to-run.mjs')}';
    import { isLoaded } from '${beside('not-loaded.mjs')}';
    import { existsSync, readdirSync, readFileSync } from 'node:fs';
    import { join } from 'node:path';
    const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
    const { lockFile } = toRun(read('package.json'), read('package-lock.json'));
    const filesIn = (folder) =>
      readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name);
        if (!entry.isDirectory()) return entry.isFile() ? [path] : [];
        return entry.name === 'node_modules' ? [] : filesIn(path);
      });
    const files = Object.keys(lockFile.packages).filter((path) => path && existsSync(path)).flatMap(filesIn);
    console.log(JSON.stringify(files.filter((path) => isLoaded(path.slice('node_modules/'.length)))));`;
  return JSON.parse(node(workspaceRoot, '--input-type=module', '--eval', script)) as string[];
}

beforeAll(async () => {
  checkout = mkdtempSync(join(tmpdir(), 'tollgate-run-only-'));
  const sources = await Promise.all(['apps', 'libs', 'prisma', 'tools'].map(filesOf));
  const alone = ['package.json', 'package-lock.json', 'tsconfig.base.json', 'tsconfig.json', 'prisma.config.ts'];
  for (const path of [...alone, ...sources.flat(), ...filesToRun()]) put(path);
});
afterAll(() => rmSync(checkout, { recursive: true, force: true }));

it('what `npm start` installs is enough to build, and for all that services, the CLI and the launcher load', async () => {
  // As npm makes it.
  mkdirSync(join(checkout, 'node_modules/.bin'));
  symlinkSync('../vite/bin/vite.js', join(checkout, 'node_modules/.bin/vite'));
  const built: string[] = [];
  await buildWithoutNx(checkout, (project) => built.push(project), ['apps/dashboard', 'apps/edge']);
  expect(built.sort()).toEqual(['dashboard', 'edge']);

  const loads = (await importsOf(programs())).map(
    ({ path, kind }) => `${kind === 'dynamic-import' ? 'import' : 'require'}('${path}')`,
  );
  expect(loads.length).toBeGreaterThan(30);
  node(checkout, '--eval', `Promise.all([${loads.join(',')}]).then(() => process.exit())`);
  expect(node(checkout, '--import', 'tsx', 'tools/cli/main.ts', '--help')).toContain('tollgate');
  // A dozen programs one after the other, on a machine that does other things too.
}, 300_000);
