import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

interface Link {
  source: string;
  target: string;
}

/**
 * npm packages cannot hold links, so the package of Postgres's programs lists those of its libraries
 * (`native/pg-symlinks.json`, paths from the package's folder), for a script that runs when it is installed.
 * Installations here run no scripts: this makes the links that are missing.
 * `root` is the `native` folder of the package.
 */
export function linkLibraries(root: string): void {
  const list = join(root, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const link of readLinks(list)) {
    const path = join(dirname(root), link.target);
    if (isThere(path)) continue;
    try {
      symlinkSync(basename(link.source), path);
    } catch (error) {
      // Another process made it in between.
      if (!isThere(path)) throw error;
    }
  }
}

/** @throws Error when the list is not one of links within one folder each. */
function readLinks(list: string): Link[] {
  const links: unknown = JSON.parse(readFileSync(list, 'utf8'));
  if (!Array.isArray(links) || !links.every(isLink)) throw new Error(`${list} is not a list of links.`);
  return links;
}

function isLink(value: unknown): value is Link {
  if (!(value instanceof Object) || !('source' in value) || !('target' in value)) return false;
  const { source, target } = value;
  return typeof source === 'string' && typeof target === 'string' && dirname(source) === dirname(target);
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
