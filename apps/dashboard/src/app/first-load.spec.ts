import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
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

describe('the page itself', () => {
  let page: string;
  let script: string;
  beforeAll(() => {
    page = readFileSync(join(folder, 'index.html'), 'utf8');
    script = /<script>([\s\S]*?)<\/script>/.exec(page)?.[1] ?? '';
  });

  it('holds one script, which starts it, and no address of others', () => {
    expect(page.match(/<script(?![^>]*\ssrc=)/g)).toHaveLength(1);
    expect(page).not.toMatch(/https?:\/\//);
    expect(page).not.toMatch(/\sstyle=/);
    expect(script).not.toBe('');
  });

  /** What the script does at an address: what it fetches as modules, what it asks for, the theme it sets. */
  function startedAt(pathname: string, theme: string | null = null) {
    const modules: string[] = [];
    const asked: string[] = [];
    const dataset: { theme?: string } = {};
    const head = { append: ({ rel, href }: { rel: string; href: string }) => modules.push(`${rel} ${href}`) };
    runInNewContext(script, {
      window: {},
      location: { pathname },
      localStorage: { getItem: () => theme },
      document: { documentElement: { dataset }, head, createElement: () => ({}) },
      fetch: (path: string) => (asked.push(path), Promise.reject(new Error('away'))),
    });
    return { modules: modules.sort(), asked, theme: dataset.theme };
  }

  const fetchedFor = (entry: string) => {
    const [first] = scriptsOf('index.html');
    const files = scriptsOf(entry).filter((file) => file !== first);
    return files.map((file) => `modulepreload /${file}`).sort();
  };

  it.each([
    ['/', 'src/landing/landing-page.tsx'],
    ['/sign-in', 'src/session/sign-in-page.tsx'],
    ['/playground', 'src/playground/playground-page.tsx'],
  ])('begins at once with what %s needs, and with who is signed in', (path, entry) =>
    expect(startedAt(path)).toEqual({ modules: fetchedFor(entry), asked: ['/api/auth/me'], theme: undefined }),
  );

  it('does so at every address behind the sign-in', () => {
    const work = startedAt('/keys/0190').modules;
    expect(work).toEqual(startedAt('/admin/plans').modules);
    expect(fetchedFor('src/usage/chart.tsx')).toEqual(expect.arrayContaining(work));
    expect(work.length).toBeGreaterThan(1);
  });

  it('asks for nobody where guides are read, and sets a theme that was chosen', () => {
    const docs = fetchedFor('src/docs/docs-page.tsx');
    expect(startedAt('/docs/errors', 'dark')).toEqual({ modules: docs, asked: [], theme: 'dark' });
    expect(startedAt('/docs', 'of tomorrow')).toEqual({ modules: docs, asked: [], theme: undefined });
  });
});
