import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceNames } from '../../stack/service-plan';
import { workspaceRoot } from '../../stack/workspace-root';
import { shell } from '../compose/shell';
import type { Say } from '../proof';

/** Bundles of releases that were built once, by commit. */
const kept = join(workspaceRoot, 'dist', 'releases');

/**
 * The commit of the newest tag; without one, that in which CHANGELOG.md tells of the newest release; without
 * one, the commit before the newest migration.
 */
export async function formerRelease(): Promise<string> {
  const tag = await git('describe --tags --abbrev=0 2>/dev/null || true');
  if (tag !== '') return git(`rev-parse "${tag}^{commit}"`);
  const changes = readFileSync(join(workspaceRoot, 'CHANGELOG.md'), 'utf8');
  const [heading] = /^## \d+\.\d+\.\d+, \d{4}-\d\d-\d\d/m.exec(changes) ?? [];
  if (heading !== undefined) return git(`log --reverse --format=%H -S'${heading}' -- CHANGELOG.md | head -1`);
  return git('rev-parse "$(git log -1 --format=%H -- prisma/migrations)^"');
}

/**
 * The folder with the bundles of a commit, and what they need at run time, built from the repository's
 * history where that was not done before. Packages are this checkout's where the commit has the same lock
 * file, else its own are installed.
 */
export async function builtRelease(revision: string, say: Say): Promise<string> {
  const commit = await git(`rev-parse "${revision}^{commit}"`);
  const folder = join(kept, commit);
  if (existsSync(folder)) return folder;
  const scratch = mkdtempSync(join(tmpdir(), 'tollgate-release-'));
  try {
    const startedAt = Date.now();
    await shell(`git archive ${commit} | tar -x -C "${scratch}"`, workspaceRoot, process.env);
    const isSame = lockOf(scratch) === lockOf(workspaceRoot);
    if (isSame) symlinkSync(join(workspaceRoot, 'node_modules'), join(scratch, 'node_modules'));
    else await shell('npm ci --ignore-scripts --no-audit --no-fund', scratch, process.env);
    const environment = { ...process.env, NX_DAEMON: 'false', NX_CACHE_DIRECTORY: join(scratch, '.nx-cache') };
    await shell('node node_modules/nx/dist/bin/nx.js run-many -t build --output-style=static', scratch, environment);
    keep(scratch, folder);
    say(`Built ${commit.slice(0, 8)} in ${((Date.now() - startedAt) / 1_000).toFixed(0)} s.`);
    return folder;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Keeps the bundles, their migrations and their packages, all of them or nothing. */
function keep(scratch: string, folder: string): void {
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  for (const name of [...serviceNames, 'dashboard'])
    cpSync(join(scratch, 'dist/apps', name), join(unfinished, 'dist/apps', name), { recursive: true });
  cpSync(join(scratch, 'prisma'), join(unfinished, 'prisma'), { recursive: true });
  cpSync(join(scratch, 'node_modules'), join(unfinished, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  renameSync(unfinished, folder);
}

const lockOf = (folder: string): string => readFileSync(join(folder, 'package-lock.json'), 'utf8');

async function git(command: string): Promise<string> {
  return (await shell(`git ${command}`, workspaceRoot, process.env)).stdout.trim();
}
