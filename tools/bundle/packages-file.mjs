// Packages of many files, which take most of a start to be found, read and compiled one by one, with what
// they need of that kind: each program has them in one file beside it, `packages.js`. Traces leave its map
// alone (named-traces.ts), which is large; profiles read it.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { byName, exportsOf } from './package-names.mjs';

/**
 * Those that patch others, belong to one kind of machine, or find files by where they are (Prisma, argon2,
 * pino, Fastify) stay outside.
 */
const together = new RegExp(
  `^(${[
    ...['@nestjs/(common|core|microservices|passport|platform-fastify)'],
    ...['rxjs', 'tslib', 'iterare', 'uid', '@lukeed/csprng', 'path-to-regexp', 'fast-safe-stringify'],
    ...['nats', 'nkeys\\.js', 'tweetnacl', 'prom-client', 'bintrees', 'tdigest', 'undici', 'zod', '@opentelemetry/api'],
  ].join('|')})(/|$)`,
);
/** Of these there may be two: they are functions alone, or keep what is common in Node's global object. */
const mayBeTwice = /^(tslib|path-to-regexp|@opentelemetry\/api)$/;
/** What the program imports of them. */
export const inOneFile = new Set();

/** What loads a package, as code. */
export function loading(path) {
  if (!together.test(path)) return `require('${path}')`;
  inOneFile.add(path);
  return `require('./packages.js')['${path}']`;
}

/** `mayLeaveOut`: a package that no code is left of is not loaded. */
export const fromOneFile = (mayLeaveOut) => ({
  name: 'from one file',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: together }, ({ path }) => ({ path, namespace: 'together', sideEffects: !mayLeaveOut }));
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
});

/** Within packages.js: what else they need stays outside, and so do zod's words in other languages. */
export const nothingElse = {
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

/** A module that loads each of these packages when it is asked for. */
export function packagesModule() {
  const all = [...inOneFile].sort(byName).map((path) => JSON.stringify(path));
  return `module.exports = { ${all.map((path) => `get ${path}() { return require(${path}); }`).join(', ')} };`;
}

const { packages: installed } = JSON.parse(readFileSync('package-lock.json', 'utf8'));

/** @throws Error where a package of node_modules would load a second copy of one that is in packages.js. */
export function keepSingle(name, seen = new Set()) {
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
