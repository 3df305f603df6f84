// What is loaded when the first of its exports is asked for. In its place stands a module whose exports are
// getters.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { exportsOf, nameOf } from './package-names.mjs';
import { loading } from './packages-file.mjs';

/**
 * What many installations never use (credentials of clouds, mail, passkeys, YAML, Valkey): an
 * instance that is idle does not hold it.
 */
export const seldomUsed =
  /^(@simplewebauthn\/server|@smithy\/(core\/(serde|event-streams)|signature-v4)|google-auth-library|ioredis|nodemailer|yaml)$/;
/** The CLI starts anew for each command: of what many commands do not use, nothing is loaded either. */
export const perhapsUsed = /^(nats(\/.*)?|pg|pino|yaml|zod)$/;
/** `packages`: a pattern of their names. */
export const whenFirstUsed = (packages) => ({
  name: 'when first used',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: packages }, ({ path, namespace }) => {
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
});

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

/**
 * The CLI starts anew for each command: of a package that no code of it is left of, nothing is loaded. (For a
 * service every package that it names is, as one may be there for what its loading does.)
 */
export const unlessUnused = {
  name: 'unless unused',
  setup({ onResolve }) {
    onResolve({ filter: /^[^.]/ }, ({ path }) =>
      nameOf(path) in dependencies ? { path, external: true, sideEffects: false } : undefined,
    );
  },
};

/** Entries of our libraries of which the CLI uses something. */
export const indexes = new Set();

/**
 * Nor does the CLI load our libraries as a whole. In the place of one stands, for each file that imports it,
 * a module whose exports are getters, too: the file that has a name is loaded when a command uses that name,
 * so that `--help` and completion wait for no schema.
 */
export const librariesWhenFirstUsed = {
  name: 'libraries when first used',
  setup({ onResolve, onLoad }) {
    const { paths } = JSON.parse(readFileSync('tsconfig.base.json', 'utf8')).compilerOptions;
    onResolve({ filter: /^@tollgate\/[\w/]+$/ }, ({ path, importer, kind }) =>
      kind === 'import-statement' ? { path: `${path} of ${importer}`, namespace: 'library' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'library' }, ({ path }) => {
      const [library, importer] = path.split(' of ');
      const index = paths[library][0];
      indexes.add(index);
      const files = new Map(
        clauses(index, String.raw`\./[^']+`).flatMap(([names, file]) => names.map((name) => [name, file])),
      );
      const placeOf = (name) => {
        if (!files.has(name)) throw new Error(`${index} does not name ${name} with the file that has it`);
        return files.get(name);
      };
      const all = clauses(importer, library)
        .flatMap(([names]) => names)
        .map((name) => `get ${name}() { return require(${JSON.stringify(placeOf(name))}).${name}; }`);
      return { contents: `module.exports = { ${all.join(', ')} };`, resolveDir: resolve(dirname(index)) };
    });
  },
};

/** What a file imports or exports from places of such a form: the names of values, and the place of each. */
function clauses(file, form) {
  const clause = new RegExp(`^(?:import|export) \\{([^}]*)\\} from '(${form})';`, 'gm');
  return [...readFileSync(file, 'utf8').matchAll(clause)].map(([, list, place]) => [namesIn(list, file), place]);
}

/** @throws Error for another name (`as`), which would not be found. */
function namesIn(list, file) {
  const names = list.split(',').map((name) => name.trim());
  const renamed = names.find((name) => / as /.test(name));
  if (renamed) throw new Error(`${file}: write \`${renamed}\` without another name`);
  return names.filter((name) => /^\w+$/.test(name));
}
