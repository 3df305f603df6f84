// Tells whether the CLI that was built (tools/build.mjs) is made of the sources that are there.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const listName = 'made-from.json';

/** Notes in the folder of a program what it is made of: files by their paths from `root`. */
export function noteSources(root, folder, paths) {
  writeFileSync(join(folder, listName), JSON.stringify({ digest: digestOf(root, paths), paths }));
}

/** False also where nothing was built, or a source is gone. Contents count, and no times. */
export function isMadeFromThese(root, folder) {
  try {
    const { digest, paths } = JSON.parse(readFileSync(join(folder, listName), 'utf8'));
    return digestOf(root, paths) === digest;
  } catch {
    return false;
  }
}

/** Of what is in these files, and how long each is. */
function digestOf(root, paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    const content = readFileSync(join(root, path));
    hash.update(`${path} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}
