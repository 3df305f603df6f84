import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { workspaceRoot } from '../stack/workspace-root';
import { makeSite } from './site';

// `npm run site`: writes the documentation as pages that any web server, or none, can show.
const { values } = parseArgs({ options: { out: { type: 'string', default: join(workspaceRoot, 'dist/site') } } });
const folder = resolve(values.out);
const { pages, copied } = makeSite();
const fileFor = (path: string): string => {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  return file;
};
for (const [path, text] of pages) writeFileSync(fileFor(path), text);
for (const path of copied) copyFileSync(join(workspaceRoot, path), fileFor(path));
console.log(`${pages.size} pages in ${folder}`);
