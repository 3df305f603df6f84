// How the code of this repository is read.
import { transform } from '@swc/core';
import { readFile } from 'node:fs/promises';

/**
 * esbuild emits no decorator metadata, which Nest's injection needs: files with a decorator go through SWC
 * first.
 */
export const decorators = {
  name: 'decorators',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/, namespace: 'file' }, async ({ path }) => {
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
