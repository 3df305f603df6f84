import react from '@vitejs/plugin-react';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { defineConfig } from 'vite';
import { chunkOf, chunks } from './vite-chunks.mjs';
import { importsByFile } from './vite-imports.mjs';
import { startsAtOnce } from './vite-start.mjs';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What the contracts hold for servers only, by file: keys and ids are made there. */
const serversOnly: Record<string, string[]> = {
  'api-key': ['createApiKey', 'isApiKey', 'apiKeyDigest', 'apiKeyDisplay'].concat([
    'createAdminToken',
    'isAdminToken',
    'isImportedKey',
    'importedKeyDigest',
    'presentedKeyDigest',
  ]),
  'metering/budget-name': ['digestOfName'],
  ids: ['uuidv7'],
};

/**
 * Leaves out what only servers use, which needs Node; nothing here calls it. The bundler drops what else is
 * not used.
 */
function contractsForBrowsers(): Plugin {
  return {
    name: 'contracts-for-browsers',
    enforce: 'pre',
    load: (id) => {
      const [, file = ''] = /\/libs\/contracts\/src\/([\w/-]+)\.ts$/.exec(id) ?? [];
      return serversOnly[file]?.map((name) => `export const ${name} = null;`).join('\n') ?? null;
    },
    transform: (_code, id) => (id.includes('/libs/contracts/') ? { moduleSideEffects: false } : null),
  };
}

/**
 * Writes which packages have their code in the pages, as package-lock.json names them:
 * tools/bill-of-materials.mjs.
 */
function packagesInPages(): Plugin {
  return {
    name: 'packages-in-pages',
    apply: 'build',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      const within = modules.map((id) => id.slice(id.indexOf('node_modules/')));
      const packages = within.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
      const source = JSON.stringify([...new Set(packages)].sort());
      this.emitFile({ type: 'asset', fileName: '.vite/packages.json', source });
    },
  };
}

/**
 * Writes `.br` and `.gz` beside every asset that gets smaller by it: edge sends those, so that no request is
 * compressed anew.
 */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const names = Object.keys(bundle).filter((name) => /\.(js|css|svg)$/.test(name));
      await Promise.all(
        names.map(async (name) => {
          const content = await readFile(join(dir, name));
          const brotli = brotliCompressSync(content, {
            params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
          });
          await Promise.all([
            writeFile(join(dir, `${name}.br`), brotli),
            writeFile(join(dir, `${name}.gz`), gzipSync(content)),
          ]);
        }),
      );
    },
  };
}

export default defineConfig({
  root: at('.'),
  plugins: [contractsForBrowsers(), importsByFile(), react(), startsAtOnce(), packagesInPages(), compressed()],
  resolve: { alias: { '@tollgate/contracts': at('../../libs/contracts/src') } },
  server: { proxy: { '/api': 'http://127.0.0.1:8080', '/v1': 'http://127.0.0.1:8080' } },
  build: {
    outDir: at('../../dist/apps/dashboard'),
    emptyOutDir: true,
    manifest: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rolldownOptions: {
      // Compressing takes its time, and nobody waits for it twice.
      checks: { pluginTimings: false },
      output: {
        codeSplitting: {
          groups: chunks.map((name) => ({ name: (id, modules) => (chunkOf(id, modules) === name ? name : null) })),
        },
      },
    },
  },
});
