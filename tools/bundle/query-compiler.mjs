import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * Prisma's query compiler is a module that holds 2 MB of WebAssembly as text, once in its source and once as
 * a value, for as long as the process lives. It is needed once: it is read as a file then, and forgotten.
 */
export const queryCompiler = {
  name: 'query compiler',
  setup({ onResolve, onLoad }) {
    const text = /const wasm = "([\w+/=]+)"/;
    onResolve({ filter: /^@prisma\/client\/runtime\/query_compiler.*\.wasm-base64\.js$/ }, ({ path, namespace }) =>
      namespace === 'query-compiler' ? { path, external: true } : { path, namespace: 'query-compiler' },
    );
    onLoad({ filter: /.*/, namespace: 'query-compiler' }, ({ path }) => {
      const isKnown = text.test(readFileSync(createRequire(import.meta.url).resolve(path), 'latin1'));
      if (!isKnown) throw new Error(`${path} has its WebAssembly otherwise than ${text}`);
      const read = `readFileSync(require.resolve(${JSON.stringify(path)}), 'latin1')`;
      return {
        contents: `
          const { readFileSync } = require('node:fs');
          Object.defineProperty(exports, 'wasm', { enumerable: true, get: () => ${text}.exec(${read})[1] });`,
        resolveDir: process.cwd(),
      };
    });
  },
};
