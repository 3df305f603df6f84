import { lstatSync, mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Notes that this process, and what it starts, runs from the installation that `node_modules` is a link to:
 * as long as it lives, that one is not removed when another takes its place (`ensure-installed.mjs`). Where
 * everything is installed there is nothing to note.
 */
export function useInstallation(root: string): void {
  const packages = join(root, 'node_modules');
  if (!lstatSync(packages, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  const target = readlinkSync(packages);
  if (!target.startsWith('.run-only/')) return;
  const marks = join(root, dirname(target), 'in-use');
  mkdirSync(marks, { recursive: true });
  writeFileSync(join(marks, String(process.pid)), '');
}
