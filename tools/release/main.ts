import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { workspaceRoot } from '../stack/workspace-root';
import { makeRelease } from './release';

// Usage: npm run release [-- folder]. Without a folder into dist, with an archive beside it.
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8')));
const [named] = process.argv.slice(2);
const folder = named ?? join(workspaceRoot, 'dist', `tollgate-${version}-${process.platform}-${process.arch}`);
makeRelease(folder);
if (named === undefined) {
  const { status } = spawnSync('tar', ['-C', dirname(folder), '-czf', `${folder}.tar.gz`, basename(folder)]);
  if (status !== 0) throw new Error('tar could not write the archive.');
}
console.log(named ?? `${folder}.tar.gz`);
