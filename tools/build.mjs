// Bundles the own code of one app (or of the CLI) to dist/<folder>/main.js, and each *.worker.ts of it beside
// that; packages of many files to packages.js, and all others stay external.
// Usage: node tools/build.mjs apps/edge
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { byName, nameOf } from './bundle/package-names.mjs';
import { fromOneFile, inOneFile, keepSingle, nothingElse, packagesModule } from './bundle/packages-file.mjs';
import { queryCompiler } from './bundle/query-compiler.mjs';
import { decorators } from './bundle/typescript.mjs';
import {
  indexes,
  librariesWhenFirstUsed,
  perhapsUsed,
  seldomUsed,
  unlessUnused,
  whenFirstUsed,
} from './bundle/when-first-used.mjs';
import { noteSources } from './cli/made-from.mjs';

const folder = process.argv[2];
if (!folder) throw new Error('Usage: node tools/build.mjs <folder>');
const entry = [`${folder}/src/main.ts`, `${folder}/main.ts`].find((path) => existsSync(path));
if (!entry) throw new Error(`${folder} has no main.ts`);
const isCli = folder === 'tools/cli';

const plugins = [decorators, whenFirstUsed(isCli ? perhapsUsed : seldomUsed), queryCompiler];
const ofMain = [...plugins, fromOneFile(isCli), ...(isCli ? [librariesWhenFirstUsed, unlessUnused] : [])];

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
  // Traces tell files and lines (bundle/named-traces.ts); whoever wants the text of one has it elsewhere.
  sourcesContent: false,
  logLevel: 'warning',
  metafile: true,
  write: false,
};
const ownOptions = {
  ...options,
  packages: 'external',
  tsconfig: 'tsconfig.base.json',
  inject: ['tools/bundle/named-traces.ts'],
};
const ofOwn = [
  await build({ ...ownOptions, entryPoints: { main: entry }, plugins: ofMain }),
  await build({ ...ownOptions, entryPoints: threads, plugins: [...plugins, unlessUnused] }),
];
const ofPackages = await build({
  ...options,
  stdin: { contents: packagesModule(), resolveDir: process.cwd() },
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

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
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
const packages = [...imported, ...required, ...[...inOneFile].map((path) => ({ path }))]
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
  const bundling = readdirSync('tools/bundle').map((name) => `tools/bundle/${name}`);
  const settings = ['tools/build.mjs', ...bundling, 'tsconfig.base.json', 'package-lock.json'];
  noteSources(process.cwd(), `dist/${folder}`, [...sources, ...indexes, ...settings].sort(byName));
}
