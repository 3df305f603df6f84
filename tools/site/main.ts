import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writePage } from '../prove/write-page';
import { workspaceRoot } from '../stack/workspace-root';
import { comparisonPage } from './comparison/comparison-page';
import { makeSite } from './site';

/**
 * `npm run site`: writes the documentation as pages that any web server, or none, can show. `--comparison`
 * writes docs/compare.md from its source before.
 */
async function writeSite(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(workspaceRoot, 'dist/site') },
      comparison: { type: 'boolean', default: false },
    },
  });
  if (values.comparison) await writePage(join(workspaceRoot, 'docs/compare.md'), comparisonPage());
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
}

void writeSite();
