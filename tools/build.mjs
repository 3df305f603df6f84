// Bundles one app's own code to dist/<project root>/main.js; packages stay external.
// Usage: node tools/build.mjs apps/edge
import { transform } from '@swc/core';
import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';

const projectRoot = process.argv[2];
if (!projectRoot) throw new Error('Usage: node tools/build.mjs <project root>');

/** esbuild emits no decorator metadata, which Nest's injection needs: files with a decorator go through SWC first. */
const decorators = {
  name: 'decorators',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      if (!/^\s*@[A-Z]\w*\(|\(\s*@[A-Z]\w*\(/m.test(source)) return undefined;
      const { code } = await transform(source, {
        filename: path,
        sourceMaps: 'inline',
        jsc: {
          target: 'es2022',
          keepClassNames: true,
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
        module: { type: 'es6' },
      });
      return { contents: code, loader: 'js' };
    });
  },
};

await build({
  entryPoints: [`${projectRoot}/src/main.ts`],
  outfile: `dist/${projectRoot}/main.js`,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  packages: 'external',
  sourcemap: true,
  keepNames: true,
  tsconfig: 'tsconfig.base.json',
  plugins: [decorators],
  logLevel: 'warning',
});
