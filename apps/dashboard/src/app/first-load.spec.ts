import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const root = resolve(__dirname, '../../../..');
const limitBytes = 200_000;
/** What we hold ourselves to: far below what is allowed. */
const aimBytes = 149_000;

interface Chunk {
  file: string;
  imports?: string[];
  src?: string;
}

let folder: string;
let manifest: Record<string, Chunk>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const build = ['build', 'apps/dashboard', '--outDir', folder, '--logLevel', 'error'];
  execFileSync(process.execPath, [vite, ...build], { cwd: root, env: { ...process.env, NODE_ENV: 'production' } });
  manifest = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every script that a page needs before it shows: the entry's, the page's own, and what they import. */
function scriptsOf(...entries: string[]): string[] {
  const files = new Set<string>();
  const visit = (name: string) => {
    const chunk = manifest[name];
    if (!chunk) throw new Error(`the build has no ${name}`);
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    chunk.imports?.forEach(visit);
  };
  entries.forEach(visit);
  return [...files];
}

const compressed = (file: string) => gzipSync(readFileSync(join(folder, file))).length;

it.each([
  ['landing page', 'src/landing/landing-page.tsx'],
  ['sign-in page', 'src/session/sign-in-page.tsx'],
  ['request for access', 'src/session/sign-up-page.tsx'],
])('the %s loads little JavaScript', (_name, page) => {
  const bytes = scriptsOf('index.html', page).reduce((sum, file) => sum + compressed(file), 0);
  expect(bytes).toBeLessThan(aimBytes);
  expect(aimBytes).toBeLessThan(limitBytes);
});

it('loads charts, Markdown and the frame of the dashboard only when they are needed', () => {
  const first = scriptsOf('index.html', 'src/landing/landing-page.tsx');
  for (const later of ['src/usage/chart.tsx', 'src/playground/playground-page.tsx']) {
    const [file] = scriptsOf(later);
    expect(first).not.toContain(file);
  }
  expect(first.filter((file) => /(work|guides|forms)-/.test(file))).toEqual([]);
});

it('fetches few files for a page, as each costs a way to the gateway and back', () => {
  const pages = Object.keys(manifest).filter((name) => name.endsWith('-page.tsx'));
  const many = pages.filter((page) => scriptsOf('index.html', page).length > 5);
  expect(pages.length).toBeGreaterThan(5);
  expect(many).toEqual([]);
  // Behind the sign-in: what visitors need, too, and one file of everything else.
  expect(scriptsOf('index.html', 'src/usage/chart.tsx')).toHaveLength(5);
  expect(Object.values(manifest).filter(({ file }) => file.endsWith('.css'))).toHaveLength(1);
});

it('writes a page without inline scripts and without any address of others', () => {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  expect(page).not.toMatch(/<script(?![^>]*\ssrc=)/);
  expect(page).not.toMatch(/https?:\/\//);
  expect(page).not.toMatch(/\sstyle=/);
});
