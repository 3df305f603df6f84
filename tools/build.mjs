// Bundles the own code of one app (or of the CLI) to dist/<folder>/main.js, and each *.worker.ts of it beside
// that; packages stay external.
// Usage: node tools/build.mjs apps/edge
import { transform } from '@swc/core';
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { noteSources } from './cli/made-from.mjs';

const folder = process.argv[2];
if (!folder) throw new Error('Usage: node tools/build.mjs <folder>');
const entry = [`${folder}/src/main.ts`, `${folder}/main.ts`].find((path) => existsSync(path));
if (!entry) throw new Error(`${folder} has no main.ts`);
const isCli = folder === 'tools/cli';

/**
 * esbuild emits no decorator metadata, which Nest's injection needs: files with a decorator go through SWC
 * first.
 */
const decorators = {
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

/**
 * What many installations never use (credentials of clouds, mail, passkeys, YAML, Swagger, Valkey): loaded
 * when the first of its exports is asked for, so that an instance that is idle does not hold it. In its place
 * stands a module whose exports are getters.
 */
const seldomUsed =
  /^(@nestjs\/swagger|@simplewebauthn\/server|@smithy\/(core\/(serde|event-streams)|signature-v4)|google-auth-library|ioredis|nodemailer|yaml)$/;
/** The CLI starts anew for each command: of what many commands do not use, nothing is loaded either. */
const perhapsUsed = /^(nats(\/.*)?|pg|pino|yaml|zod)$/;
const whenFirstUsed = {
  name: 'when first used',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: isCli ? perhapsUsed : seldomUsed }, ({ path, namespace }) => {
      if (namespace !== 'seldom-used') return { path, namespace: 'seldom-used' };
      return { path, external: true };
    });
    onLoad({ filter: /.*/, namespace: 'seldom-used' }, ({ path }) => {
      const all = exportsOf(path).map((name) => `get ${name}() { return load().${name}; }`);
      return {
        contents: `const load = () => ${loading(path)};\nmodule.exports = { ${all.join(', ')} };`,
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
const { packages: installed } = JSON.parse(readFileSync('package-lock.json', 'utf8'));

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

/** Entries of our libraries of which the CLI uses something. */
const indexes = new Set();
/**
 * Nor does the CLI load our libraries as a whole. In the place of one stands, for each file that imports it,
 * a module whose exports are getters, too: the file that has a name is loaded when a command uses that name,
 * so that `--help` and completion wait for no schema.
 */
const librariesWhenFirstUsed = {
  name: 'libraries when first used',
  setup({ onResolve, onLoad }) {
    const { paths } = JSON.parse(readFileSync('tsconfig.base.json', 'utf8')).compilerOptions;
    onResolve({ filter: /^@tollgate\/\w+$/ }, ({ path, importer, kind }) =>
      kind === 'import-statement' ? { path: `${path} of ${importer}`, namespace: 'library' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'library' }, ({ path }) => {
      const [library, importer] = path.split(' of ');
      const index = paths[library][0];
      indexes.add(index);
      const files = new Map(clauses(index, './').flatMap(([names, file]) => names.map((name) => [name, file])));
      const all = clauses(importer, library)
        .flatMap(([names]) => names)
        .map((name) => `get ${name}() { return require(${JSON.stringify(files.get(name))}).${name}; }`);
      return { contents: `module.exports = { ${all.join(', ')} };`, resolveDir: resolve(dirname(index)) };
    });
  },
};

/**
 * Packages of many files, which take most of a start to be found, read and compiled one by one, with what
 * they need of that kind: each program has them in one file beside it, `packages.js`. Traces leave its map
 * alone (tools/named-traces.ts), which is large; profiles read it. Those that patch others, belong to one
 * kind of machine, or find files by where they are (Prisma, argon2, pino, Fastify) stay outside.
 */
const together = new RegExp(
  `^(${[
    ...['@nestjs/(common|core|mapped-types|microservices|passport|platform-fastify|swagger)'],
    ...['rxjs', 'tslib', 'iterare', 'uid', '@lukeed/csprng', 'path-to-regexp', 'fast-safe-stringify'],
    ...['nats', 'nkeys\\.js', 'tweetnacl', 'prom-client', 'bintrees', 'tdigest', 'undici', 'zod', '@opentelemetry/api'],
  ].join('|')})(/|$)`,
);
/** Of these there may be two: they are functions alone, or keep what is common in Node's global object. */
const mayBeTwice = /^(tslib|path-to-regexp|@opentelemetry\/api)$/;
/** What the program imports of them. */
const imports = new Set();
/** What loads a package, as code. */
function loading(path) {
  if (!together.test(path)) return `require('${path}')`;
  imports.add(path);
  return `require('./packages.js')['${path}']`;
}
const fromOneFile = {
  name: 'from one file',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: together }, ({ path }) => ({ path, namespace: 'together', sideEffects: !isCli }));
    onLoad({ filter: /.*/, namespace: 'together' }, ({ path }) => {
      const all = exportsOf(path).map(
        // Names such as `null` are none of a constant.
        (name) => `const $${name} = /* @__PURE__ */ of('${name}'); export { $${name} as ${name} };`,
      );
      const of = `const all = ${loading(path)};\nconst of = (name) => all[name];`;
      return { contents: [of, ...all, 'export default all;'].join('\n') };
    });
    onResolve({ filter: /^\.\/packages\.js$/ }, ({ path }) => ({ path, external: true }));
  },
};
/** Within packages.js: what else they need stays outside, and so do zod's words in other languages. */
const nothingElse = {
  name: 'nothing else',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^./]/ }, ({ path, resolveDir }) => {
      if (together.test(path) && find(path, resolveDir)) return undefined;
      if (find(path, resolveDir) !== find(path, process.cwd())) throw new Error(`There are two of ${path}`);
      return { path, external: true };
    });
    onResolve({ filter: /\/locales\/index\.cjs$/ }, ({ path }) => ({ path, namespace: 'nothing' }));
    onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({ contents: '' }));
    // Their own maps lead to sources that are not there.
    onLoad({ filter: /\.[cm]?js$/, namespace: 'file' }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(/^\/\/# sourceMappingURL=.*/gm, ''),
    }));
  },
};

const plugins = [decorators, whenFirstUsed, queryCompiler];
const ofMain = [...plugins, fromOneFile, ...(isCli ? [librariesWhenFirstUsed, unlessUnused] : [])];

/** The program, and the threads that it starts. */
const workers = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.worker.ts'),
);
const threads = Object.fromEntries(workers.map((path) => [basename(path, '.ts'), join(folder, path)]));

const options = {
  outdir: `dist/${folder}`,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  // A process keeps its source, too. Without comments it is smaller, and each character of it takes one byte.
  minifyWhitespace: true,
  // Node prints the whole line on which an error was thrown that ends a program.
  lineLimit: 200,
  sourcemap: true,
  // Traces tell files and lines (tools/named-traces.ts); whoever wants the text of one has it elsewhere.
  sourcesContent: false,
  logLevel: 'warning',
  metafile: true,
  write: false,
};
const ownOptions = {
  ...options,
  packages: 'external',
  tsconfig: 'tsconfig.base.json',
  inject: ['tools/named-traces.ts'],
};
const ofOwn = [
  await build({ ...ownOptions, entryPoints: { main: entry }, plugins: ofMain }),
  await build({ ...ownOptions, entryPoints: threads, plugins: [...plugins, unlessUnused] }),
];
const ofPackages = await build({
  ...options,
  stdin: { contents: getters([...imports].sort(byName)), resolveDir: process.cwd() },
  entryNames: 'packages',
  // What Node would load: without this esbuild prefers what packages offer to bundlers (`module`).
  conditions: [],
  plugins: [nothingElse],
});
// Packages first: who is started meanwhile finds those that it knows.
const outputs = [ofPackages, ...ofOwn];

/** Puts a file in its place whole: another program may be started from here at this moment. */
function put(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}.new`, content);
  renameSync(`${path}.${process.pid}.new`, path);
}
for (const { path, contents, text } of outputs.flatMap(({ outputFiles }) => outputFiles)) {
  // A single other character has V8 keep the whole source with two bytes for each of its characters.
  const [other] = path.endsWith('.js') ? (/.{0,30}[^\0-\xff]/u.exec(text) ?? []) : [];
  if (other) throw new Error(`Write the last character of \`${other}\` as an escape (\\u2026): ${folder}`);
  put(path, contents);
}

/**
 * What is needed at run time beside the program: tools/pack-packages.mjs. Files that make a `require` of
 * their own name their packages in it.
 */
const imported = outputs
  .flatMap(({ metafile }) => Object.values(metafile.outputs))
  .flatMap(({ imports: all }) => all.filter(({ external }) => external));
const sources = ofOwn.flatMap(({ metafile }) => Object.keys(metafile.inputs)).filter((path) => existsSync(path));
const required = sources
  .map((path) => readFileSync(path, 'utf8'))
  .filter((source) => source.includes('createRequire('))
  .flatMap((source) => [...source.matchAll(/'((?:@[\w.-]+\/)?[\w.-]+)[^'\n]*'/g)].map(([, path]) => ({ path })));
const packages = [...imported, ...required, ...[...imports].map((path) => ({ path }))]
  .map(({ path }) => nameOf(path))
  .filter((name) => name in dependencies);
put(`dist/${folder}/packages.json`, JSON.stringify([...new Set(packages)]));
for (const name of packages) keepSingle(name);

if (isCli) {
  // Shells ask for these when they start (tools/cli/commands/completion.ts): commands are not loaded for it.
  for (const shell of ['bash', 'zsh', 'fish']) {
    const path = `dist/${folder}/completion.${shell}`;
    rmSync(path, { force: true });
    put(path, execFileSync(process.execPath, [`dist/${folder}/main.js`, 'completion', shell]));
  }
  const settings = ['tools/build.mjs', 'tsconfig.base.json', 'package-lock.json'];
  noteSources(process.cwd(), `dist/${folder}`, [...sources, ...indexes, ...settings].sort(byName));
}

function byName(one, other) {
  return one < other ? -1 : 1;
}

/** A module that loads each of these packages when it is asked for. */
function getters(paths) {
  const all = paths.map(JSON.stringify).map((path) => `get ${path}() { return require(${path}); }`);
  return `module.exports = { ${all.join(', ')} };`;
}

/** The names of what a package exports, but for `default`, which is all of it. */
function exportsOf(path) {
  return Object.keys(createRequire(import.meta.url)(path)).filter((name) =>
    /^(?!default$)[A-Za-z_$][\w$]*$/.test(name),
  );
}

/** @throws Error where a package of node_modules would load a second copy of one that is in packages.js. */
function keepSingle(name, seen = new Set()) {
  if (seen.has(name) || together.test(name)) return;
  seen.add(name);
  const { dependencies: needed, peerDependencies: peers } = installed[`node_modules/${name}`] ?? {};
  for (const other of Object.keys({ ...needed, ...peers })) {
    if (together.test(other) && !mayBeTwice.test(other)) throw new Error(`${name} would load a ${other} of its own`);
    keepSingle(other, seen);
  }
}

/** Where a package is found from a folder; null: it is not there. */
function find(path, from) {
  try {
    return createRequire(join(from, 'any')).resolve(path);
  } catch {
    return null;
  }
}

/** What a file imports or exports from places that begin so: the names of values, and the place of each. */
function clauses(file, from) {
  const clause = new RegExp(`^(?:import|export) \\{([^}]*)\\} from '(${from}[^']*)';`, 'gm');
  return [...readFileSync(file, 'utf8').matchAll(clause)].map(([, list, place]) => [
    list.split(',').flatMap((name) => /^\s*(\w+)\s*$/.exec(name)?.[1] ?? []),
    place,
  ]);
}

/** `@nestjs/core` of `@nestjs/core/injector/injector`. */
function nameOf(path) {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}
