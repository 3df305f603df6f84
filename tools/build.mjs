// Bundles the own code of one app (or of the CLI) to dist/<folder>/main.js, and each *.worker.ts of it beside
// that; packages stay external.
// Usage: node tools/build.mjs apps/edge
import { transform } from '@swc/core';
import { build } from 'esbuild';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const folder = process.argv[2];
if (!folder) throw new Error('Usage: node tools/build.mjs <folder>');
const entry = [`${folder}/src/main.ts`, `${folder}/main.ts`].find((path) => existsSync(path));
if (!entry) throw new Error(`${folder} has no main.ts`);

/**
 * esbuild emits no decorator metadata, which Nest's injection needs: files with a decorator go through SWC
 * first.
 */
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

/**
 * What many installations never use (credentials of clouds, mail, passkeys, YAML, Swagger, Valkey): loaded
 * when the first of its exports is asked for, so that an instance that is idle does not hold it. In its place
 * stands a module whose exports are getters.
 */
const seldomUsed =
  /^(@nestjs\/swagger|@simplewebauthn\/server|@smithy\/(core\/(serde|event-streams)|signature-v4)|google-auth-library|ioredis|nodemailer|yaml)$/;
const whenFirstUsed = {
  name: 'when first used',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: seldomUsed }, ({ path, namespace }) =>
      namespace === 'seldom-used' ? { path, external: true } : { path, namespace: 'seldom-used' },
    );
    onLoad({ filter: /.*/, namespace: 'seldom-used' }, ({ path }) => {
      const names = Object.keys(createRequire(import.meta.url)(path)).filter((name) => name !== 'default');
      const getters = names.map((name) => `get ${JSON.stringify(name)}() { return load()[${JSON.stringify(name)}]; }`);
      return {
        contents: `const load = () => require(${JSON.stringify(path)});\nmodule.exports = { ${getters.join(', ')} };`,
        resolveDir: process.cwd(),
      };
    });
  },
};

/**
 * Prisma's query compiler is a module that holds 2 MB of WebAssembly as text, once in its source and once as
 * a value, for as long as the process lives. It is needed once: it is read as a file then, and forgotten.
 */
const queryCompiler = {
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

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

/**
 * The CLI starts anew for each command: of a package that no code of it is left of, nothing is loaded. (For a
 * service every package that it names is, as one may be there for what its loading does.)
 */
const unlessUnused = {
  name: 'unless unused',
  setup({ onResolve }) {
    onResolve({ filter: /^[^.]/ }, ({ path }) =>
      nameOf(path) in dependencies ? { path, external: true, sideEffects: false } : undefined,
    );
  },
};
const plugins = [decorators, whenFirstUsed, queryCompiler, ...(folder === 'tools/cli' ? [unlessUnused] : [])];

/** The program, and the threads that it starts. */
const workers = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.worker.ts'),
);
const entryPoints = { main: entry };
for (const path of workers) entryPoints[basename(path, '.ts')] = join(folder, path);

const { metafile, outputFiles } = await build({
  entryPoints,
  outdir: `dist/${folder}`,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  packages: 'external',
  // A process keeps its source, too. Without comments it is smaller, and each character of it takes one byte.
  minifyWhitespace: true,
  // Node prints the whole line on which an error was thrown that ends a program.
  lineLimit: 200,
  sourcemap: true,
  // Traces tell files and lines (tools/named-traces.ts); whoever wants the text of one has it elsewhere.
  sourcesContent: false,
  tsconfig: 'tsconfig.base.json',
  inject: ['tools/named-traces.ts'],
  plugins,
  logLevel: 'warning',
  metafile: true,
  write: false,
});

/** Puts a file in its place whole: another program may be started from here at this moment. */
function put(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}.new`, content);
  renameSync(`${path}.${process.pid}.new`, path);
}
for (const { path, contents, text } of outputFiles) {
  // A single other character has V8 keep the whole source with two bytes for each of its characters.
  const [other] = path.endsWith('.js') ? (/.{0,30}[^\0-\xff]/u.exec(text) ?? []) : [];
  if (other) throw new Error(`Write the last character of \`${other}\` as an escape (\\u2026): ${folder}`);
  put(path, contents);
}

/**
 * What is needed at run time beside the program: tools/pack-packages.mjs. Files that make a `require` of
 * their own name their packages in it.
 */
const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
const required = Object.keys(metafile.inputs)
  .filter((path) => existsSync(path))
  .map((path) => readFileSync(path, 'utf8'))
  .filter((source) => source.includes('createRequire('))
  .flatMap((source) => [...source.matchAll(/'((?:@[\w.-]+\/)?[\w.-]+)[^'\n]*'/g)].map(([, path]) => ({ path })));
const packages = [...imported, ...required].map(({ path }) => nameOf(path)).filter((name) => name in dependencies);
put(`dist/${folder}/packages.json`, JSON.stringify([...new Set(packages)]));

/** `@nestjs/core` of `@nestjs/core/injector/injector`. */
function nameOf(path) {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}
