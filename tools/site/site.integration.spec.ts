import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-site-'));
  // In a process of its own: what renders Markdown comes as ES modules only.
  execFileSync(process.execPath, ['--import', 'tsx', 'tools/site/main.ts', '--out', folder], { cwd: workspaceRoot });
});
afterAll(() => rmSync(folder, { recursive: true }));

const pages = () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.html'));
const read = (path: string) => readFileSync(join(folder, path), 'utf8');

it('has a page for the README and for every document', () => {
  const documents = readdirSync(join(workspaceRoot, 'docs'), { recursive: true, encoding: 'utf8' });
  const expected = documents
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path.replace(/\.md$/, '.html')));
  expect(pages()).toEqual(expect.arrayContaining(['index.html', 'CHANGELOG.html', ...expected]));
});

it('leads nowhere that is not there, page and heading', () => {
  const broken: string[] = [];
  for (const page of pages()) {
    for (const [, link = ''] of read(page).matchAll(/(?:href|src)="([^"]+)"/g)) {
      if (/^[a-z][a-z0-9+.-]*:/i.test(link)) continue;
      const [path = '', fragment] = link.split('#', 2);
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(folder, target))) broken.push(`${page}: ${link}`);
      else if (fragment && target.endsWith('.html') && !read(target).includes(` id="${fragment}"`))
        broken.push(`${page}: ${link}`);
    }
  }
  expect(broken).toEqual([]);
});

it('keeps the places that pages name by themselves', () =>
  expect(read('docs/operate.html')).toContain('<a id="closing-a-deployment"></a>'));

it('runs no script, and shows tables, code and pictures', () => {
  for (const page of pages()) expect(read(page)).not.toMatch(/<script|="javascript:/i);
  expect(read('docs/come-over.html')).toContain('<table>');
  expect(read('docs/operate.html')).toMatch(/<pre><code class="language-sh">/);
  expect(read('index.html')).toMatch(/<img src="docs\/images\/[\w-]+\.png" alt="[^"]/);
});
