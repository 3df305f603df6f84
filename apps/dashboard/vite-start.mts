import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformWithOxc } from 'vite';
import type { Plugin, Rollup } from 'vite';

const read = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');
/** Where a page is fetched by itself: its path, and its file without an ending. */
const routes = /'(\/[^']*)': lazyPage\(\s*\(\) => import\('\.\.\/([^']+)'\)/g;
/** What every page behind the sign-in needs. */
const behindSignIn = '/src/app/signed-in-pages.tsx';

/**
 * Writes `start.ts` into the page, in the place that is kept for it, so that what an address needs is under
 * way as soon as the page itself has come. Edge allows the script by its hash.
 */
export function startsAtOnce(): Plugin {
  return {
    name: 'starts-at-once',
    transformIndexHtml: {
      order: 'post',
      handler: async (html, { bundle }) => {
        const script = await scriptOf(bundle ? filesOf(bundle) : {});
        return html.replace('/* start.ts */', () => script);
      },
    },
  };
}

/** As browsers take it, without its comments. */
async function scriptOf(files: Record<string, string[]>): Promise<string> {
  const source = read('./start.ts').replace(' = {};', () => ` = ${JSON.stringify(files)};`);
  const { code } = await transformWithOxc(source, 'start.ts', { sourcemap: false });
  return code.replaceAll(/^\s*(\/\/|\/\*\*).*\n/gm, '').trim();
}

/** Addresses whose code is in files of their own, and (`*`) all others. */
function filesOf(bundle: Rollup.OutputBundle): Record<string, string[]> {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
  const needed = ({ fileName, imports }: Rollup.OutputChunk): string[] => {
    const others = chunks.filter((chunk) => imports.includes(chunk.fileName) && !chunk.isEntry);
    return [fileName, ...others.flatMap(needed)];
  };
  const filesWith = (module: string): string[] => {
    const chunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(module)));
    if (!chunk) throw new Error(`No file of the dashboard has ${module}.`);
    return [...new Set(needed(chunk))].map((file) => `/${file}`);
  };
  const others = filesWith(behindSignIn);
  const sources = ['./src/app/open-routes.ts', './src/app/signed-in-routes.ts'].map(read).join('');
  const own = [...sources.matchAll(routes)]
    .map(([, path = '', module = '']) => [path, filesWith(`/src/${module}.tsx`)] as const)
    .filter(([, files]) => files[0] !== others[0]);
  return { ...Object.fromEntries(own), '*': others };
}
