import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { buildWithoutNx } from './build-without-nx';
import { serviceNames, sharedProgram } from './service-plan';
import { StackError } from './stack-error';
import { workspaceRoot } from './workspace-root';

/** What the bundles are made of. */
const sources = ['apps', 'libs', 'prisma', 'prisma.config.ts', 'tools/cli', 'tools/build.mjs', 'tools/bundle'].concat([
  'nx.json',
  'tsconfig.base.json',
  'package-lock.json',
]);
/** What is made from them, or has nothing to do with them. */
const made = new Set(['generated', 'dist', 'node_modules']);
const results = ['libs/database/src/generated/.made-from', 'dist/tools/cli/main.js', 'dist/apps/dashboard/index.html'];
const needed = [...results, ...[...serviceNames, sharedProgram].map((name) => `dist/apps/${name}/main.js`)];

/**
 * Bundles every service (the database client is generated first), unless nothing has changed since the last
 * time. Nx skips what did not change too, but replaces the files of all bundles meanwhile, under whatever
 * stack runs from them; `always` leaves it to Nx all the same.
 * @param onProgress hears what is done, a line each.
 * @throws StackError with the compiler's output.
 */
export async function buildServices({ always = false, onProgress = (_line: string): void => {} } = {}): Promise<void> {
  const startedAt = new Date();
  const { names } = await sourcesOf(workspaceRoot);
  if (!always && (await isCurrent(workspaceRoot))) return;
  onProgress('Building the services and the dashboard (only what changed)…');
  const onBuilt = (project: string) => onProgress(`  ${project}, ${secondsSince(startedAt)} s`);
  if (existsSync(join(workspaceRoot, nxProgram))) await buildWithNx(onBuilt);
  else await buildWithoutNx(workspaceRoot, onBuilt);
  await stamp(workspaceRoot, names, startedAt);
}

async function buildWithNx(onBuilt: (project: string) => void): Promise<void> {
  const nx = spawn(process.execPath, [nxProgram, 'run-many', '-t', 'build', '--output-style=static'], {
    cwd: workspaceRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const problems = text(nx.stderr);
  const closed = once(nx, 'close');
  const lines: string[] = [];
  for await (const line of createInterface(nx.stdout)) {
    lines.push(line);
    // A heading above what the command printed, once it has ended.
    const [, project] = /^> nx run ([\w-]+):build\b/.exec(line) ?? [];
    if (project) onBuilt(project);
  }
  await closed;
  if (nx.exitCode !== 0) throw new StackError(`The build failed:\n${lines.join('\n')}\n${await problems}`);
}

/** Notes that a build which began then, of the sources of these names, has ended well. */
export async function stamp(root: string, names: string, startedAt: Date): Promise<void> {
  const file = stampOf(root);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, names);
  await utimes(file, startedAt, startedAt);
}

/**
 * True when everything that is built is there, and the last build began after the last change of any source
 * and had the same files.
 */
export async function isCurrent(root: string): Promise<boolean> {
  const [built, names] = await Promise.all([timeOf(stampOf(root)), readFile(stampOf(root), 'utf8').catch(() => null)]);
  if (built === null || (await Promise.all(needed.map((path) => timeOf(join(root, path))))).includes(null))
    return false;
  const now = await sourcesOf(root);
  return now.names === names && now.changedAt < built.mtimeMs;
}

/**
 * `names`: a digest of the paths of all sources; `changedAt`: when the youngest of them was changed or put in
 * its place, in milliseconds since 1970.
 */
export async function sourcesOf(root: string): Promise<{ names: string; changedAt: number }> {
  const paths = (await Promise.all(sources.map((path) => filesIn(root, path)))).flat().sort();
  const times = await Promise.all(paths.map((path) => timeOf(join(root, path))));
  const changes = times.map((time) => Math.max(time?.mtimeMs ?? 0, time?.ctimeMs ?? 0));
  return { names: createHash('sha256').update(paths.join('\n')).digest('hex'), changedAt: Math.max(0, ...changes) };
}

/** The file itself, or all files below the folder; none where nothing is. */
async function filesIn(root: string, path: string): Promise<string[]> {
  const found = await timeOf(join(root, path));
  if (!found?.isDirectory()) return found ? [path] : [];
  const names = (await readdir(join(root, path))).filter((name) => !made.has(name));
  return (await Promise.all(names.map((name) => filesIn(root, `${path}/${name}`)))).flat();
}

const nxProgram = 'node_modules/nx/dist/bin/nx.js';
const secondsSince = (time: Date): number => Math.round((Date.now() - time.getTime()) / 1000);
const stampOf = (root: string): string => join(root, 'dist', '.built');
const timeOf = (path: string) => stat(path).catch(() => null);
